//! The server's side of SCRAM-SHA-256 (RFC 5802 and 7677), text in and text out.
//!
//! Pure: nonces, salts and keys are passed in. An unknown user gets the same steps with keys
//! that match no password, so replies do not reveal which users exist.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// The name of the mechanism.
pub const MECHANISM: &str = "SCRAM-SHA-256";

/// Rounds of key derivation: what MongoDB takes, and drivers refuse fewer than 4,096.
pub const ITERATIONS: u32 = 15_000;

/// Bytes of a hash and of everything that is compared.
const HASH_BYTES: usize = 32;

pub const SALT_BYTES: usize = 28;

/// Bytes of one message of a client; more is refused before it is read.
const MESSAGE_BYTES_MAX: usize = 4_096;

type Hash = [u8; HASH_BYTES];

/// The stored form of a password. Neither the password nor a valid proof can be made from it.
#[derive(Clone)]
pub struct Keys {
    salt: [u8; SALT_BYTES],
    iterations: u32,
    stored_key: Hash,
    server_key: Hash,
}

/// Why an exchange failed. Clients never learn which of them it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ScramError {
    /// The message does not follow RFC 5802.
    #[error("the message does not follow RFC 5802")]
    Malformed,
    /// The client asks for a channel binding or an extension.
    #[error("the client asks for something that is not supported")]
    Unsupported,
    /// The nonce is not the one of this exchange.
    #[error("the nonce belongs to another exchange")]
    WrongNonce,
    /// The proof does not belong to the password.
    #[error("the password is wrong")]
    WrongProof,
}

/// An exchange between the client's two messages.
pub struct Exchange {
    keys: Keys,
    user: String,
    /// The client's first message without its header.
    client_first: String,
    server_first: String,
    /// The required `c=` of the second message.
    binding: String,
    nonce: String,
}

impl Keys {
    pub fn of_password(password: &str, salt: [u8; SALT_BYTES], iterations: u32) -> Self {
        let (stored_key, server_key) = derive(password, &salt, iterations);
        Self { salt, iterations, stored_key, server_key }
    }

    /// Keys that no password has, the same for the same user and secret.
    pub fn of_nobody(user: &str, secret: &[u8]) -> Self {
        // Derived from the name, because a salt that changed with each attempt would reveal that
        // the user does not exist.
        let part = |label: &[u8]| mac(secret, &[label, user.as_bytes()]);
        let mut salt = [0; SALT_BYTES];
        for (to, from) in salt.iter_mut().zip(part(b"salt")) {
            *to = from;
        }
        Self {
            salt,
            iterations: ITERATIONS,
            stored_key: part(b"stored key"),
            server_key: part(b"server key"),
        }
    }
}

impl Exchange {
    /// Answers the client's first message. `keys_of` gives the keys of a user, or those of no user.
    ///
    /// # Errors
    /// `Malformed`, `Unsupported`.
    pub fn begin(
        client_first: &[u8],
        server_nonce: &str,
        keys_of: impl FnOnce(&str) -> Keys,
    ) -> Result<(Self, String), ScramError> {
        let message = text(client_first)?;
        let (header, bare) = split_header(message)?;
        let mut fields = bare.split(',');
        let name = fields.next().ok_or(ScramError::Malformed)?;
        if name.starts_with("m=") {
            return Err(ScramError::Unsupported);
        }
        let user = user_name(value(name, "n=")?)?;
        if authorization(header)?.is_some_and(|other| other != user) {
            return Err(ScramError::Unsupported);
        }
        let client_nonce = value(fields.next().unwrap_or_default(), "r=")?;
        if client_nonce.is_empty() {
            return Err(ScramError::Malformed);
        }
        let keys = keys_of(&user);
        let nonce = format!("{client_nonce}{server_nonce}");
        let salt = STANDARD.encode(keys.salt);
        let server_first = format!("r={nonce},s={salt},i={}", keys.iterations);
        let exchange = Self {
            keys,
            user,
            client_first: bare.to_owned(),
            server_first: server_first.clone(),
            binding: STANDARD.encode(header),
            nonce,
        };
        Ok((exchange, server_first))
    }

    /// Answers the client's second message with the server's own proof.
    ///
    /// # Errors
    /// `Malformed`, `WrongNonce`, `WrongProof`.
    pub fn finish(&self, client_final: &[u8]) -> Result<String, ScramError> {
        let message = text(client_final)?;
        let (without_proof, proof) = message.rsplit_once(",p=").ok_or(ScramError::Malformed)?;
        let mut fields = without_proof.split(',');
        let binding = value(fields.next().unwrap_or_default(), "c=")?;
        let nonce = value(fields.next().unwrap_or_default(), "r=")?;
        // Equal to the header of the first message, or an attacker has removed the offer of a
        // channel binding.
        if binding != self.binding {
            return Err(ScramError::Unsupported);
        }
        // In constant time, so that the time of a refusal tells nothing about the secret.
        if !bool::from(nonce.as_bytes().ct_eq(self.nonce.as_bytes())) {
            return Err(ScramError::WrongNonce);
        }
        let proof: Hash = STANDARD
            .decode(proof)
            .ok()
            .and_then(|bytes| bytes.try_into().ok())
            .ok_or(ScramError::Malformed)?;
        let said = [&self.client_first, ",", &self.server_first, ",", without_proof];
        let said = said.map(str::as_bytes);
        let signature = mac(&self.keys.stored_key, &said);
        let client_key = xor(proof, signature);
        if !bool::from(hash(&client_key).ct_eq(&self.keys.stored_key)) {
            return Err(ScramError::WrongProof);
        }
        Ok(format!("v={}", STANDARD.encode(mac(&self.keys.server_key, &said))))
    }

    /// The user who wants to log in.
    pub fn user(&self) -> &str {
        &self.user
    }
}

/// `StoredKey` and `ServerKey` of a password. `SASLprep` leaves ASCII as it is, and generated
/// passwords hold nothing else.
fn derive(password: &str, salt: &[u8], iterations: u32) -> (Hash, Hash) {
    let mut salted = [0; HASH_BYTES];
    pbkdf2::pbkdf2_hmac::<Sha256>(password.as_bytes(), salt, iterations, &mut salted);
    let client_key = mac(&salted, &[b"Client Key"]);
    (hash(&client_key), mac(&salted, &[b"Server Key"]))
}

fn text(message: &[u8]) -> Result<&str, ScramError> {
    if message.len() > MESSAGE_BYTES_MAX {
        return Err(ScramError::Malformed);
    }
    std::str::from_utf8(message).map_err(|_| ScramError::Malformed)
}

/// The header up to its second comma, and what follows.
fn split_header(message: &str) -> Result<(&str, &str), ScramError> {
    let mut commas = message.match_indices(',').map(|(place, _)| place);
    let (Some(_), Some(second)) = (commas.next(), commas.next()) else {
        return Err(ScramError::Malformed);
    };
    let (header, bare) = message.split_at_checked(second + 1).ok_or(ScramError::Malformed)?;
    match header.get(..2) {
        // `y`: the client could bind to a channel and knows that this server can't.
        Some("n," | "y,") => Ok((header, bare)),
        Some("p=") => Err(ScramError::Unsupported),
        _ => Err(ScramError::Malformed),
    }
}

/// The user as whom the client wants to act, if it names one.
fn authorization(header: &str) -> Result<Option<String>, ScramError> {
    match header.split(',').nth(1) {
        None | Some("") => Ok(None),
        Some(named) => user_name(value(named, "a=")?).map(Some),
    }
}

fn value<'f>(field: &'f str, name: &str) -> Result<&'f str, ScramError> {
    field.strip_prefix(name).ok_or(ScramError::Malformed)
}

/// A name with `=2C` and `=3D` read as comma and equals sign; no other `=` is allowed.
fn user_name(written: &str) -> Result<String, ScramError> {
    let mut name = String::with_capacity(written.len());
    let mut parts = written.split('=');
    name.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let (sign, rest) = match (part.strip_prefix("2C"), part.strip_prefix("3D")) {
            (Some(rest), _) => (',', rest),
            (_, Some(rest)) => ('=', rest),
            _ => return Err(ScramError::Malformed),
        };
        name.push(sign);
        name.push_str(rest);
    }
    if name.is_empty() { Err(ScramError::Malformed) } else { Ok(name) }
}

fn hash(bytes: &[u8]) -> Hash {
    #[cfg(test)]
    HASHED.set(HASHED.get() + 1);
    Sha256::digest(bytes).into()
}

fn mac(key: &[u8], parts: &[&[u8]]) -> Hash {
    #[cfg(test)]
    HASHED.set(HASHED.get() + 1);
    // HMAC takes keys of any length; the padded form of an impossible failure is a key of zeros.
    let mut mac = Hmac::<Sha256>::new_from_slice(key)
        .unwrap_or_else(|_| Hmac::<Sha256>::new(&hmac::digest::Key::<Hmac<Sha256>>::default()));
    for part in parts {
        mac.update(part);
    }
    mac.finalize().into_bytes().into()
}

fn xor(mut left: Hash, right: Hash) -> Hash {
    for (to, from) in left.iter_mut().zip(right) {
        *to ^= from;
    }
    left
}

#[cfg(test)]
thread_local! {
    /// How many hashes were made in this thread: the work that a clock could tell users apart by.
    pub(super) static HASHED: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// The client's second message, for tests of the login.
#[cfg(test)]
pub(crate) fn client_final(password: &str, client_first: &str, server_first: &str) -> String {
    let (header, bare) = split_header(client_first).expect("a first message");
    let mut fields = server_first.split(',');
    let nonce = value(fields.next().expect("a nonce"), "r=").expect("a nonce");
    let salt = STANDARD.decode(value(fields.next().expect("a salt"), "s=").expect("a salt"));
    let rounds = value(fields.next().expect("rounds"), "i=").expect("rounds").parse();
    let (salt, rounds) = (salt.expect("base64"), rounds.expect("a number"));
    let mut salted = [0; HASH_BYTES];
    pbkdf2::pbkdf2_hmac::<Sha256>(password.as_bytes(), &salt, rounds, &mut salted);
    let client_key = mac(&salted, &[b"Client Key"]);
    let without_proof = format!("c={},r={nonce}", STANDARD.encode(header));
    let said = format!("{bare},{server_first},{without_proof}");
    let proof = xor(client_key, mac(&hash(&client_key), &[said.as_bytes()]));
    format!("{without_proof},p={}", STANDARD.encode(proof))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &[u8] = b"of this process";

    /// The exchange of RFC 7677, section 3.
    const CLIENT_FIRST: &str = "n,,n=user,r=rOprNGfwEbeRWgbNEkqO";
    const SERVER_NONCE: &str = "%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0";
    const SERVER_FIRST: &str =
        "r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096";
    const CLIENT_FINAL: &str = "c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,\
        p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=";
    const SERVER_FINAL: &str = "v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=";

    /// The RFC's salt has 16 bytes and ours have 28, so the example's exchange is put together
    /// here.
    fn of_the_rfc() -> Exchange {
        let salt = STANDARD.decode("W22ZaJ0SNY7soEsUEjb6gQ==").expect("base64");
        let (stored_key, server_key) = derive("pencil", &salt, 4_096);
        let keys = Keys { salt: [0; SALT_BYTES], iterations: 4_096, stored_key, server_key };
        let (mut exchange, _) =
            Exchange::begin(CLIENT_FIRST.as_bytes(), SERVER_NONCE, |_| keys).expect("a beginning");
        SERVER_FIRST.clone_into(&mut exchange.server_first);
        exchange
    }

    fn keys() -> Keys {
        Keys::of_password("pencil", [7; SALT_BYTES], ITERATIONS)
    }

    fn begin(message: &str) -> Result<(Exchange, String), ScramError> {
        Exchange::begin(message.as_bytes(), SERVER_NONCE, |user| match user {
            "mayfly" | "a,b=c" => keys(),
            other => Keys::of_nobody(other, SECRET),
        })
    }

    #[test]
    fn the_example_of_rfc_7677() {
        assert_eq!(of_the_rfc().finish(CLIENT_FINAL.as_bytes()).as_deref(), Ok(SERVER_FINAL));
        assert_eq!(client_final("pencil", CLIENT_FIRST, SERVER_FIRST), CLIENT_FINAL);
    }

    #[test]
    fn first_messages() {
        let check = |message: &str, expected: Result<&str, ScramError>| {
            let found = begin(message).map(|(exchange, _)| exchange.user);
            assert_eq!(found.as_deref().map_err(|error| *error), expected, "{message}");
        };
        check("n,,n=mayfly,r=abc", Ok("mayfly"));
        check("y,,n=mayfly,r=abc", Ok("mayfly"));
        check("n,a=mayfly,n=mayfly,r=abc", Ok("mayfly"));
        check("n,,n=a=2Cb=3Dc,r=abc", Ok("a,b=c"));
        check("n,,n=mayfly,r=abc,x=later", Ok("mayfly"));
        check("n,a=root,n=mayfly,r=abc", Err(ScramError::Unsupported));
        check("p=tls-unique,,n=mayfly,r=abc", Err(ScramError::Unsupported));
        check("n,,m=ext,n=mayfly,r=abc", Err(ScramError::Unsupported));
        for malformed in [
            "",
            "n",
            "n,",
            "n,,",
            "n,,n=mayfly",
            "n,,n=,r=abc",
            "n,,n=mayfly,r=",
            "n,,n=a=2c,r=abc",
            "n,,n=a=,r=abc",
            "n,,r=abc,n=mayfly",
            "x,,n=mayfly,r=abc",
            "é,,n=mayfly,r=abc",
            "n,b=mayfly,n=mayfly,r=abc",
        ] {
            check(malformed, Err(ScramError::Malformed));
        }
        check(&format!("n,,n=mayfly,r={}", "a".repeat(5_000)), Err(ScramError::Malformed));
        let bytes = Exchange::begin(b"n,,n=\xff,r=abc", SERVER_NONCE, |_| keys());
        assert_eq!(bytes.err(), Some(ScramError::Malformed));
    }

    #[test]
    fn second_messages() {
        let first = "n,,n=mayfly,r=abc";
        let (exchange, server_first) = begin(first).expect("a beginning");
        let right = client_final("pencil", first, &server_first);
        assert!(exchange.finish(right.as_bytes()).is_ok_and(|reply| reply.starts_with("v=")));
        let check = |message: &str, expected: ScramError| {
            assert_eq!(exchange.finish(message.as_bytes()), Err(expected), "{message}");
        };
        check(&client_final("pencils", first, &server_first), ScramError::WrongProof);
        check(&client_final("", first, &server_first), ScramError::WrongProof);
        check(&right.replace("r=abc", "r=abd"), ScramError::WrongNonce);
        check(&right.replace("c=biws", "c=eSws"), ScramError::Unsupported);
        check(&right.replace(",p=", ",x=1,p="), ScramError::WrongProof);
        check(&right.replace(",p=", ",q="), ScramError::Malformed);
        check(&format!("{right}="), ScramError::Malformed);
        check("", ScramError::Malformed);
        check("c=biws,p=AAAA", ScramError::Malformed);
        check(CLIENT_FINAL, ScramError::WrongNonce);
    }

    #[test]
    fn an_old_proof_does_not_fit_a_new_nonce() {
        let first = "n,,n=mayfly,r=abc";
        let (_, server_first) = begin(first).expect("a beginning");
        let right = client_final("pencil", first, &server_first);
        let (later, _) =
            Exchange::begin(first.as_bytes(), "another", |_| keys()).expect("a beginning");
        assert_eq!(later.finish(right.as_bytes()), Err(ScramError::WrongNonce));
        let forged = right.replace(SERVER_NONCE, "another");
        assert_eq!(later.finish(forged.as_bytes()), Err(ScramError::WrongProof));
    }

    #[test]
    fn an_unknown_user_gets_the_same_answers() {
        let salt_of = |reply: &str| reply.split(',').nth(1).map(str::to_owned);
        let (known, known_reply) = begin("n,,n=mayfly,r=abc").expect("a beginning");
        let (unknown, unknown_reply) = begin("n,,n=nobody,r=abc").expect("a beginning");
        assert_eq!(known_reply.len(), unknown_reply.len());
        let (_, again) = begin("n,,n=nobody,r=abc").expect("a beginning");
        assert_eq!(salt_of(&again), salt_of(&unknown_reply), "the same salt each time");
        let (_, other) = begin("n,,n=nobody2,r=abc").expect("a beginning");
        assert_ne!(salt_of(&other), salt_of(&unknown_reply));
        let proof = client_final("pencil", "n,,n=nobody,r=abc", &unknown_reply);
        assert_eq!(unknown.finish(proof.as_bytes()), Err(ScramError::WrongProof));
        let wrong = client_final("wrong", "n,,n=mayfly,r=abc", &known_reply);
        assert_eq!(known.finish(wrong.as_bytes()), Err(ScramError::WrongProof));
    }
}
