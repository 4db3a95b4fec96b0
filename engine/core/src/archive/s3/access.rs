//! Credentials and endpoint from environment variables or the AWS profile's files.

use std::{collections::BTreeMap, io, path::PathBuf};

use object_store::aws::AmazonS3ConfigKey;

use crate::store::open_chosen;

/// Credentials, region and endpoint, by their names in the profile's files.
#[derive(Clone, Default, PartialEq, Eq)]
pub(super) struct Access {
    values: BTreeMap<&'static str, String>,
}

/// A setting: its name in a profile, the variables that override it, and whether it is secret.
struct Setting {
    name: &'static str,
    variables: &'static [&'static str],
    is_secret: bool,
}

const KEY_ID: &str = "aws_access_key_id";
const SECRET: &str = "aws_secret_access_key";
const TOKEN: &str = "aws_session_token";
const REGION: &str = "region";
const ENDPOINT: &str = "endpoint_url";

/// The settings by the names of the crate that uses them.
pub(super) const ACCESS_NAMES: [(&str, AmazonS3ConfigKey); 5] = [
    (KEY_ID, AmazonS3ConfigKey::AccessKeyId),
    (SECRET, AmazonS3ConfigKey::SecretAccessKey),
    (TOKEN, AmazonS3ConfigKey::Token),
    (REGION, AmazonS3ConfigKey::Region),
    (ENDPOINT, AmazonS3ConfigKey::Endpoint),
];

const SETTINGS: [Setting; 5] = [
    Setting { name: KEY_ID, variables: &["AWS_ACCESS_KEY_ID"], is_secret: true },
    Setting { name: SECRET, variables: &["AWS_SECRET_ACCESS_KEY"], is_secret: true },
    Setting { name: TOKEN, variables: &["AWS_SESSION_TOKEN"], is_secret: true },
    Setting { name: REGION, variables: &["AWS_REGION", "AWS_DEFAULT_REGION"], is_secret: false },
    Setting {
        name: ENDPOINT,
        variables: &["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"],
        is_secret: false,
    },
];

impl Access {
    /// Reads the environment and the profile.
    pub(super) fn find() -> Self {
        let read = |path: PathBuf| io::read_to_string(open_chosen(&path).ok()?).ok();
        Self::find_in(&|name| std::env::var(name).ok(), &read)
    }

    /// The same, from given variables and files.
    fn find_in(
        variable: &dyn Fn(&str) -> Option<String>,
        read: &dyn Fn(PathBuf) -> Option<String>,
    ) -> Self {
        let variable = |name: &str| variable(name).filter(|value| !value.is_empty());
        let mut values = BTreeMap::new();
        let home = variable("HOME").or_else(|| variable("USERPROFILE")).map(PathBuf::from);
        let file = |name: &str, usual: &str| {
            let path = variable(name).map(PathBuf::from);
            let path = path.or_else(|| Some(home.as_ref()?.join(".aws").join(usual)))?;
            read(path)
        };
        let profile = variable("AWS_PROFILE").unwrap_or_else(|| "default".to_owned());
        let files = [
            (file("AWS_CONFIG_FILE", "config"), format!("profile {profile}")),
            (file("AWS_SHARED_CREDENTIALS_FILE", "credentials"), profile.clone()),
        ];
        for (text, section) in files {
            let is_ours = |name: &str| name == section || (profile == "default" && name == profile);
            for (name, value) in entries(text.as_deref().unwrap_or_default(), is_ours) {
                if let Some(setting) = SETTINGS.iter().find(|setting| setting.name == name) {
                    values.insert(setting.name, value.to_owned());
                }
            }
        }
        let of_environment =
            |setting: &Setting| setting.variables.iter().find_map(|it| variable(it));
        // Never combine a key from the environment with a secret or token from a profile.
        if SETTINGS.iter().any(|setting| setting.is_secret && of_environment(setting).is_some()) {
            values.retain(|name, _| SETTINGS.iter().any(|it| it.name == *name && !it.is_secret));
        }
        for setting in &SETTINGS {
            values.extend(of_environment(setting).map(|value| (setting.name, value)));
        }
        Self { values }
    }

    /// Dummy credentials for a test server.
    #[cfg(test)]
    pub(super) fn of_test(endpoint: String) -> Self {
        let values = [(KEY_ID, "K".to_owned()), (SECRET, "S".to_owned()), (ENDPOINT, endpoint)];
        Self { values: values.into() }
    }

    /// A setting.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.values.get(name).map(String::as_str)
    }

    /// The server, unless it is Amazon's.
    pub(super) fn endpoint(&self) -> Option<&str> {
        self.get(ENDPOINT)
    }

    /// Whether key id and secret are set.
    pub(super) fn has_credentials(&self) -> bool {
        self.get(KEY_ID).is_some() && self.get(SECRET).is_some()
    }

    /// The text with all secrets replaced.
    pub(super) fn without_secrets(&self, text: &str) -> String {
        let secrets = SETTINGS.iter().filter(|setting| setting.is_secret);
        secrets.filter_map(|setting| self.get(setting.name)).fold(
            text.to_owned(),
            |text, secret| {
                if secret.is_empty() { text } else { text.replace(secret, "…") }
            },
        )
    }
}

/// The entries of one section of a profile's file.
fn entries<'t>(
    text: &'t str,
    is_ours: impl Fn(&str) -> bool + 't,
) -> impl Iterator<Item = (&'t str, &'t str)> {
    let mut inside = false;
    text.lines().filter_map(move |line| {
        if let Some(section) = line.trim().strip_prefix('[') {
            inside = is_ours(section.split(']').next().unwrap_or_default().trim());
            return None;
        }
        // Indented entries are nested in the one before, so they are skipped too.
        let is_comment = line.starts_with(['#', ';', ' ', '\t']);
        let (name, value) = line.split_once('=').filter(|_| inside && !is_comment)?;
        Some((name.trim(), value.trim()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONFIG: &str = "[default]\nregion = eu-west-1\n# a = b\ns3 =\n  region = nested\n\
                          [profile work]\nregion=us-west-2\nendpoint_url = http://localhost:9000\n";
    const CREDENTIALS: &str = "[default]\naws_access_key_id = DEFAULT\naws_secret_access_key = d\n\
                               [work]\naws_access_key_id=WORK\naws_secret_access_key = w=/+\n\
                               aws_session_token = TOKEN\n";

    fn find(variables: &[(&str, &str)]) -> Access {
        let variable = |name: &str| {
            let all = variables.iter().chain([&("HOME", "/home/p")]);
            all.into_iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        };
        Access::find_in(&variable, &|path| match path.to_str() {
            Some("/home/p/.aws/config" | "/c") => Some(CONFIG.to_owned()),
            Some("/home/p/.aws/credentials") => Some(CREDENTIALS.to_owned()),
            _ => None,
        })
    }

    #[track_caller]
    fn check(variables: &[(&str, &str)], expected: [Option<&str>; 5]) {
        let access = find(variables);
        assert_eq!(
            [KEY_ID, SECRET, TOKEN, REGION, ENDPOINT].map(|name| access.get(name)),
            expected
        );
    }

    #[test]
    fn the_environment_comes_before_the_profile() {
        let local = Some("http://localhost:9000");
        check(&[], [Some("DEFAULT"), Some("d"), None, Some("eu-west-1"), None]);
        let work = [Some("WORK"), Some("w=/+"), Some("TOKEN"), Some("us-west-2"), local];
        check(&[("AWS_PROFILE", "work")], work);
        check(
            &[("AWS_PROFILE", "work"), ("AWS_ACCESS_KEY_ID", "K"), ("AWS_SECRET_ACCESS_KEY", "S")],
            [Some("K"), Some("S"), None, Some("us-west-2"), local],
        );
        check(
            &[("AWS_REGION", "r"), ("AWS_ENDPOINT_URL", "e"), ("AWS_ENDPOINT_URL_S3", "s")],
            [Some("DEFAULT"), Some("d"), None, Some("r"), Some("s")],
        );
        check(
            &[("AWS_SHARED_CREDENTIALS_FILE", "/none"), ("AWS_CONFIG_FILE", "/c")],
            [None, None, None, Some("eu-west-1"), None],
        );
        check(&[("AWS_PROFILE", "none")], [None; 5]);
    }

    #[test]
    fn nothing_secret_is_told() {
        let access = find(&[("AWS_PROFILE", "work")]);
        assert!(access.has_credentials() && !find(&[("AWS_PROFILE", "none")]).has_credentials());
        let text = access.without_secrets("the key WORK, w=/+, TOKENs in us-west-2");
        assert_eq!(text, "the key …, …, …s in us-west-2");
    }
}
