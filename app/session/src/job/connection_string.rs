//! Reading a connection string as people paste it.
//!
//! The driver refuses a string for what can be mended or left out without harm, with words that are
//! of no use. So the string is read here first: what is mended and what is left out is said, and the
//! password is separated before anything is shown.

use std::fmt;
use std::net::IpAddr;
use std::path::Path;

use super::percent;

/// A text that no message, log or debug output shows.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Secret(String);

impl Secret {
    /// Wraps it.
    pub fn new(text: String) -> Self {
        Self(text)
    }

    /// The text, for the driver alone.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// The text, for the field that it is typed into.
    pub fn edit(&mut self) -> &mut String {
        &mut self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Secret")
    }
}

/// A connection string that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConnectionString {
    /// `mongodb` or `mongodb+srv`.
    pub scheme: &'static str,
    /// The user, if the string names one. Not encoded.
    pub user: Option<String>,
    /// The password, if the string has one. Not encoded.
    pub password: Option<Secret>,
    /// `host`, `host:port` or an encoded socket path; at least one.
    pub hosts: Vec<String>,
    /// The database after the slash: where the user is known, unless `authSource` says otherwise.
    pub database: Option<String>,
    /// The options that the driver is given, as they are written.
    pub options: Vec<(String, String)>,
    /// Repairs and omissions, one sentence each.
    pub notes: Vec<String>,
}

const SCHEMES: [&str; 2] = ["mongodb+srv", "mongodb"];

/// The port of a host that names none.
const PORT: u16 = 27017;

/// The options that the driver knows and this program uses, in lower case.
const OPTIONS: [&str; 30] = [
    "appname",
    "authmechanism",
    "authmechanismproperties",
    "authsource",
    "connecttimeoutms",
    "directconnection",
    "heartbeatfrequencyms",
    "journal",
    "loadbalanced",
    "localthresholdms",
    "maxconnecting",
    "maxidletimems",
    "maxstalenessseconds",
    "readconcernlevel",
    "readpreference",
    "readpreferencetags",
    "replicaset",
    "retryreads",
    "retrywrites",
    "serverselectiontimeoutms",
    "srvmaxhosts",
    "srvservicename",
    "ssl",
    "tls",
    "tlsallowinvalidcertificates",
    "tlscafile",
    "tlscertificatekeyfile",
    "tlsinsecure",
    "w",
    "wtimeoutms",
];

/// The options that turn encryption on and off.
const TLS: [&str; 2] = ["tls", "ssl"];

impl ConnectionString {
    /// Reads a string.
    ///
    /// # Errors
    /// One sentence: what is wrong and what to do.
    pub fn read(text: &str) -> Result<Self, String> {
        let text = text.trim().trim_matches(['"', '\'']).trim();
        let text = ["mongosh", "mongo"]
            .iter()
            .find_map(|shell| text.strip_prefix(shell)?.strip_prefix(' '))
            .map_or(text, |rest| rest.trim().trim_matches(['"', '\'']));
        if text.is_empty() {
            return Err("Enter a connection string, such as mongodb://localhost:27017".to_owned());
        }
        let mut notes = Vec::new();
        let (scheme, rest) = scheme(text, &mut notes)?;
        let (before, options) = split_options(rest);
        let (login, place) = match before.rsplit_once('@') {
            Some((login, place)) => (Some(login), place),
            None => (None, before),
        };
        let (hosts, database) = place.split_once('/').unwrap_or((place, ""));
        let (user, password) =
            login.map_or(Ok((None, None)), |login| read_login(login, &mut notes))?;
        Ok(Self {
            scheme,
            user,
            password,
            hosts: read_hosts(hosts, scheme)?,
            database: Some(percent::decode(database)).filter(|name| !name.is_empty()),
            options: read_options(options, &mut notes),
            notes,
        })
    }

    pub fn for_driver(&self) -> Secret {
        Secret::new(
            self.write(self.password.as_ref().map(|password| percent::encode(password.reveal()))),
        )
    }

    /// The string as it is shown: without the password.
    pub fn shown(&self) -> String {
        self.write(None)
    }

    /// The server's name in the window: its first host, and how many others there are.
    pub fn name(&self) -> String {
        let first = self.hosts.first().map_or("", String::as_str);
        let first = percent::decode(first.strip_suffix(":27017").unwrap_or(first));
        match self.hosts.len() {
            0 | 1 => first,
            2 => format!("{first} and 1 other"),
            many => format!("{first} and {} others", many - 1),
        }
    }

    /// Whether a password is missing: the string names a user whose login needs one.
    pub fn needs_password(&self) -> bool {
        self.uses_password() && self.password.is_none()
    }

    /// Whether the login takes a password.
    pub fn uses_password(&self) -> bool {
        let without = ["MONGODB-X509", "MONGODB-OIDC", "GSSAPI", "MONGODB-AWS"];
        let mechanism = self.option("authMechanism").unwrap_or_default();
        self.user.is_some() && !without.contains(&mechanism)
    }

    /// The key of the password in a keyring: the hosts, the user and the database that knows the
    /// user. Another spelling of the same server, or another option, does not change it. `None` if
    /// the login takes no password.
    pub fn secret_key(&self) -> Option<String> {
        let user = self.user.as_ref().filter(|_| self.uses_password())?;
        let mut hosts: Vec<String> = self.hosts.iter().map(|host| plain_host(host)).collect();
        hosts.sort_unstable();
        let login = self.option("authSource").map(percent::decode);
        let login = login.or_else(|| self.database.clone()).unwrap_or_else(|| "admin".to_owned());
        let (scheme, user, hosts) = (self.scheme, percent::encode(user), hosts.join(","));
        Some(format!("{scheme}://{user}@{hosts}/{}", percent::encode(&login)))
    }

    /// The value of an option, whatever its case.
    pub fn option(&self, name: &str) -> Option<&str> {
        let mut options = self.options.iter();
        options.find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// Sets an option, or removes it.
    pub fn set_option(&mut self, name: &str, value: Option<String>) {
        let is_it = |known: &str| known.eq_ignore_ascii_case(name);
        match (value, self.options.iter_mut().find(|(known, _)| is_it(known))) {
            (Some(value), Some(option)) => option.1 = value,
            (Some(value), None) => self.options.push((name.to_owned(), value)),
            (None, _) => self.options.retain(|(known, _)| !is_it(known)),
        }
    }

    /// Turns encryption on or off. Its other options go with it.
    pub fn set_encrypted(&mut self, is_encrypted: bool) {
        let is_of_tls = |name: &str| name.to_ascii_lowercase().starts_with("tls");
        self.options.retain(|(name, _)| {
            !TLS.iter().any(|known| name.eq_ignore_ascii_case(known))
                && (is_encrypted || !is_of_tls(name))
        });
        if is_encrypted != self.is_encrypted() {
            self.set_option("tls", Some(is_encrypted.to_string()));
        }
    }

    /// Whether anybody can pretend to be the server, because its certificate is not checked.
    pub fn is_unchecked(&self) -> bool {
        let is_on = |name| self.option(name) == Some("true");
        self.is_encrypted() && (is_on("tlsAllowInvalidCertificates") || is_on("tlsInsecure"))
    }

    /// Whether the connection is encrypted, in words.
    pub fn encryption(&self) -> &'static str {
        match self.is_encrypted() {
            true if self.is_unchecked() => "on, certificate not checked",
            true => "on",
            false => "off",
        }
    }

    pub fn is_encrypted(&self) -> bool {
        let named = self.option("tls").or_else(|| self.option("ssl"));
        named.map_or(self.scheme == "mongodb+srv", |value| value == "true")
    }

    /// Whether every host is this machine or in a private network: by its address, or by a name
    /// without a dot. Any other server counts as one that others depend on.
    pub fn is_near(&self) -> bool {
        self.scheme == "mongodb" && self.addresses().iter().all(|(host, _)| is_near(host))
    }

    /// Each host with its port, for a look at the network. A socket's path has none.
    pub fn addresses(&self) -> Vec<(String, Option<u16>)> {
        self.hosts.iter().map(|host| address(host)).collect()
    }

    fn write(&self, password: Option<String>) -> String {
        let mut out = format!("{}://", self.scheme);
        if let Some(user) = &self.user {
            out.push_str(&percent::encode(user));
            if let Some(password) = password {
                out.push(':');
                out.push_str(&password);
            }
            out.push('@');
        }
        out.push_str(&self.hosts.join(","));
        out.push('/');
        if let Some(database) = &self.database {
            out.push_str(&percent::encode(database));
        }
        for (index, (name, value)) in self.options.iter().enumerate() {
            out.push(if index == 0 { '?' } else { '&' });
            out.push_str(name);
            out.push('=');
            out.push_str(value);
        }
        out
    }
}

fn scheme<'t>(text: &'t str, notes: &mut Vec<String>) -> Result<(&'static str, &'t str), String> {
    let Some((written, rest)) = text.split_once("://") else {
        notes.push("Added mongodb:// in front".to_owned());
        return Ok(("mongodb", text));
    };
    let scheme = SCHEMES.into_iter().find(|scheme| scheme.eq_ignore_ascii_case(written));
    match scheme {
        Some(scheme) => Ok((scheme, rest)),
        None => Err(format!(
            "{written}:// is not a database address; a connection string begins with mongodb:// or \
             mongodb+srv://"
        )),
    }
}

/// Splits the options off: they begin at the first question mark after which there are only names
/// and values. A password that is not encoded may have question marks too.
fn split_options(text: &str) -> (&str, &str) {
    let is_option = |option: &str| {
        let name = option.split_once('=').map_or(option, |(name, _)| name);
        name.chars().all(|c| c.is_ascii_alphanumeric())
    };
    let mut marks = text.match_indices('?').map(|(at, _)| (&text[..at], &text[at + 1..]));
    let found = marks.find(|(_, rest)| !rest.contains('?') && rest.split('&').all(is_option));
    found.unwrap_or((text, ""))
}

type Login = (Option<String>, Option<Secret>);

fn read_login(login: &str, notes: &mut Vec<String>) -> Result<Login, String> {
    let (user, password) = match login.split_once(':') {
        Some((user, password)) => (user, Some(password)),
        None => (login, None),
    };
    if user.is_empty() {
        return Err("The user's name is missing before the @".to_owned());
    }
    let is_placeholder =
        |password: &str| password.starts_with('<') && password.ends_with('>') || password == "****";
    let password = password.filter(|password| !password.is_empty());
    let password = match password {
        Some(password) if is_placeholder(password) => {
            notes.push("Left out the placeholder of the password".to_owned());
            None
        }
        other => other,
    };
    let must_encode = |text: &str| text.contains(['@', '/', '?', '#', '[', ']', ':']);
    if must_encode(user) || password.is_some_and(must_encode) {
        notes.push("Encoded the special characters of the login".to_owned());
    }
    let password = password.map(|password| Secret::new(percent::decode(password)));
    Ok((Some(percent::decode(user)), password))
}

fn read_hosts(hosts: &str, scheme: &str) -> Result<Vec<String>, String> {
    let hosts: Vec<String> =
        hosts.split(',').map(|host| host.trim().to_owned()).filter(|it| !it.is_empty()).collect();
    let Some(first) = hosts.first() else {
        return Err("The host is missing, such as localhost:27017".to_owned());
    };
    if scheme == "mongodb+srv" {
        if hosts.len() > 1 {
            return Err("mongodb+srv:// takes one host; use mongodb:// for several".to_owned());
        }
        if address(first).1 != Some(PORT) || first.ends_with(":27017") {
            return Err(format!(
                "mongodb+srv:// takes no port; remove it from {first}, or use mongodb://"
            ));
        }
    }
    for host in &hosts {
        let port = host.rsplit_once(':').map(|(_, port)| port);
        let is_socket = is_socket(host);
        let is_v6 = host.ends_with(']');
        if let Some(port) = port.filter(|_| !is_socket && !is_v6)
            && port.parse::<u16>().map_or(true, |port| port == 0)
        {
            return Err(format!("{port} is not a port; a port is a number from 1 to 65535"));
        }
    }
    Ok(hosts)
}

/// Whether a host is the encoded path of a socket, as the driver tells it.
fn is_socket(host: &str) -> bool {
    Path::new(host).extension().is_some_and(|extension| extension == "sock")
}

/// A host as it is compared: names know no case, and the usual port goes without saying.
fn plain_host(host: &str) -> String {
    if is_socket(host) {
        return host.to_owned();
    }
    host.strip_suffix(":27017").unwrap_or(host).to_ascii_lowercase()
}

fn is_near(host: &str) -> bool {
    match host.parse() {
        Ok(IpAddr::V4(at)) => at.is_loopback() || at.is_private() || at.is_link_local(),
        Ok(IpAddr::V6(at)) => at.is_loopback() || at.is_unique_local(),
        Err(_) => is_socket(host) || !host.contains('.'),
    }
}

fn address(host: &str) -> (String, Option<u16>) {
    if is_socket(host) {
        return (percent::decode(host), None);
    }
    let (name, port) = match host.rsplit_once(':') {
        Some((name, port)) if !host.ends_with(']') => (name, port.parse().ok()),
        _ => (host, Some(PORT)),
    };
    (name.trim_matches(['[', ']']).to_owned(), port)
}

fn read_options(options: &str, notes: &mut Vec<String>) -> Vec<(String, String)> {
    let mut kept: Vec<(String, String)> = Vec::new();
    let mut left_out = Vec::new();
    for option in options.split('&').filter(|option| !option.is_empty()) {
        let (name, value) = option.split_once('=').unwrap_or((option, ""));
        let lower = name.to_ascii_lowercase();
        if value.is_empty() || !OPTIONS.contains(&lower.as_str()) {
            left_out.push(name.to_owned());
            continue;
        }
        // An `=` or `@` inside, as Cosmos DB writes them, is the driver's to read.
        kept.push((name.to_owned(), value.to_owned()));
    }
    if !left_out.is_empty() {
        left_out.dedup();
        notes
            .push(format!("Left out, because Mayfly does not support it: {}", left_out.join(", ")));
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> ConnectionString {
        ConnectionString::read(text).expect(text)
    }

    #[test]
    fn encryption_is_an_option_of_the_string() {
        let mut string = read("mongodb://u@h/?SSL=false&tlsCAFile=%2Fca.pem&appName=a");
        assert_eq!(string.encryption(), "off");
        string.set_encrypted(true);
        assert_eq!(string.shown(), "mongodb://u@h/?tlsCAFile=%2Fca.pem&appName=a&tls=true");
        string.set_option("TLSallowInvalidCertificates", Some("true".to_owned()));
        assert_eq!(string.encryption(), "on, certificate not checked");
        string.set_option("tlsallowinvalidcertificates", None);
        assert_eq!(string.encryption(), "on");
        string.set_encrypted(false);
        assert_eq!(string.shown(), "mongodb://u@h/?appName=a");
        let mut cluster = read("mongodb+srv://c.example.net");
        cluster.set_encrypted(true);
        assert_eq!((cluster.encryption(), cluster.options.len()), ("on", 0));
        cluster.set_encrypted(false);
        assert_eq!((cluster.encryption(), cluster.options.len()), ("off", 1));
        // The strings that Azure DocumentDB and Atlas give.
        for given in [
            "mongodb+srv://a:b@c.example.net/?tls=true&authMechanism=SCRAM-SHA-256&retrywrites=false&maxIdleTimeMS=120000",
            "mongodb+srv://a:b@c.example.net/?retryWrites=true&w=majority&appName=Cluster0",
        ] {
            assert_eq!(read(given).notes, Vec::<String>::new(), "{given}");
        }
    }

    #[test]
    fn strings_that_people_paste() {
        // As pasted, as the driver gets it, the notes.
        let table: &[(&str, &str, &[&str])] = &[
            ("mongodb://localhost", "mongodb://localhost/", &[]),
            (" 'mongodb://localhost:27017/' ", "mongodb://localhost:27017/", &[]),
            ("mongosh \"mongodb://db.example/shop\"", "mongodb://db.example/shop", &[]),
            ("localhost:27018", "mongodb://localhost:27018/", &["Added mongodb:// in front"]),
            ("MONGODB://h", "mongodb://h/", &[]),
            ("mongodb://a,b:1,c/d?replicaSet=r", "mongodb://a,b:1,c/d?replicaSet=r", &[]),
            ("mongodb://u:p@h", "mongodb://u:p@h/", &[]),
            ("mongodb://u:p%40x@h", "mongodb://u:p%40x@h/", &[]),
            (
                "mongodb://u:p@x/y?z#@h/d?tls=true",
                "mongodb://u:p%40x%2Fy%3Fz%23@h/d?tls=true",
                &["Encoded the special characters of the login"],
            ),
            ("mongodb://u:100%@h", "mongodb://u:100%25@h/", &[]),
            (
                "mongodb+srv://u:<password>@c.example.net/?retryWrites=true&w=majority",
                "mongodb+srv://u@c.example.net/?retryWrites=true&w=majority",
                &["Left out the placeholder of the password"],
            ),
            (
                "mongodb://h/?timeoutMS=5&compressors=snappy,zlib&tls=true&unknown=1",
                "mongodb://h/?tls=true",
                &["Left out, because Mayfly does not support it: timeoutMS, compressors, unknown"],
            ),
            (
                "mongodb://acct:k==@acct.mongo.cosmos.azure.com:10255/?ssl=true&appName=@acct@",
                "mongodb://acct:k%3D%3D@acct.mongo.cosmos.azure.com:10255/?ssl=true&appName=@acct@",
                &[],
            ),
            (
                "mongodb://%2Ftmp%2Fmongodb-27017.sock",
                "mongodb://%2Ftmp%2Fmongodb-27017.sock/",
                &[],
            ),
            ("mongodb://[::1]:27017", "mongodb://[::1]:27017/", &[]),
            ("mongodb://[::1]", "mongodb://[::1]/", &[]),
        ];
        for (pasted, sent, notes) in table {
            let read = read(pasted);
            assert_eq!(read.for_driver().reveal(), *sent, "{pasted}");
            assert_eq!(read.notes, *notes, "{pasted}");
        }
    }

    #[test]
    fn only_a_near_server_is_taken_for_ones_own() {
        for (text, near) in [
            ("localhost", true),
            ("127.0.0.1:27018", true),
            ("[::1]:27017", true),
            ("192.168.1.4,10.0.0.7", true),
            ("db", true),
            ("mongodb://%2Ftmp%2Fmongodb-27017.sock", true),
            ("8.8.8.8", false),
            ("db.example.com", false),
            ("localhost,db.example.com", false),
            ("mongodb+srv://cluster", false),
        ] {
            assert_eq!(read(text).is_near(), near, "{text}");
        }
    }

    #[test]
    fn what_cannot_be_read_says_why() {
        let refused = |text: &str| ConnectionString::read(text).expect_err(text);
        for (text, part) in [
            ("", "such as mongodb://localhost:27017"),
            ("https://cloud.example.com", "https:// is not a database address"),
            ("mongodb://", "The host is missing"),
            ("mongodb://:p@h", "The user's name is missing"),
            ("mongodb://h:x", "x is not a port"),
            ("mongodb://h:0", "0 is not a port"),
            ("mongodb://h:70000", "70000 is not a port"),
            ("mongodb+srv://a,b", "takes one host"),
            ("mongodb+srv://a:27017", "takes no port"),
            ("mongodb+srv://a:1", "takes no port"),
        ] {
            assert!(refused(text).contains(part), "{text}: {}", refused(text));
        }
    }

    #[test]
    fn nothing_that_is_shown_has_the_password() {
        for text in ["mongodb://u:s3cret@h/?tls=true", "mongodb://u:s3cret@a,b,c", "u:s3cret@h:1"] {
            let read = read(text);
            let shown = format!("{read:?} {} {} {:?}", read.shown(), read.name(), read.notes);
            assert!(!shown.contains("s3cret"), "{shown}");
            assert!(read.for_driver().reveal().contains("s3cret"));
        }
    }

    #[test]
    fn a_password_is_kept_under_the_server_and_the_user() {
        let key = |text: &str| read(text).secret_key();
        for text in [
            "mongodb://u:s3cret@Db.example:27017,a:1",
            "u:other@a:1,db.example",
            "mongodb://u@a:1,db.example/admin?tls=true",
            "mongodb://u@a:1,db.example/shop?authSource=admin",
        ] {
            assert_eq!(key(text).as_deref(), Some("mongodb://u@a:1,db.example/admin"), "{text}");
        }
        for text in ["u@a:1", "v@a:1,db.example", "u@a:2,db.example", "u@a:1,db.example/shop"] {
            assert_ne!(key(text).as_deref(), Some("mongodb://u@a:1,db.example/admin"), "{text}");
        }
        assert_eq!(key("mongodb+srv://a%40b@c").as_deref(), Some("mongodb+srv://a%40b@c/admin"));
        assert_eq!(key("mongodb://h"), None);
        assert_eq!(key("mongodb://u@h/?authMechanism=MONGODB-X509"), None);
    }

    #[test]
    fn a_user_without_a_password_is_asked_for_it() {
        assert!(read("mongodb://u@h").needs_password());
        assert!(!read("mongodb://u:p@h").needs_password());
        assert!(!read("mongodb://h").needs_password());
        assert!(!read("mongodb://u@h/?authMechanism=MONGODB-X509").needs_password());
    }

    #[test]
    fn a_server_is_called_by_its_hosts() {
        for (text, name) in [
            ("mongodb://localhost:27017", "localhost"),
            ("mongodb://h:1", "h:1"),
            ("mongodb://a,b", "a and 1 other"),
            ("mongodb://a,b,c", "a and 2 others"),
            ("mongodb://%2Ftmp%2Fm.sock", "/tmp/m.sock"),
        ] {
            assert_eq!(read(text).name(), name);
        }
        let addresses = read("mongodb://a,b:1,[::1],[::1]:5,%2Ft.sock").addresses();
        let expected = [
            ("a", Some(27017)),
            ("b", Some(1)),
            ("::1", Some(27017)),
            ("::1", Some(5)),
            ("/t.sock", None),
        ];
        assert_eq!(addresses, expected.map(|(host, port)| (host.to_owned(), port)));
    }
}
