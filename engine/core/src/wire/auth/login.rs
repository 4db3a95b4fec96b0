//! The login of one connection: `saslStart`, `saslContinue`, `logout`, and what `hello` says of it.

use std::{sync::Arc, time::Duration};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use bson::{
    Binary, Bson, Document, RawDocumentBuf, doc,
    raw::{RawBsonRef, RawDocument, cstr},
    spec::BinarySubtype,
};

use super::{
    credentials::{Credentials, nonce},
    scram::{Exchange, Keys, MECHANISM},
};
use crate::command::{Client, Code, CommandError, raw};

/// The database whose users log in.
const USERS_DB: &str = "admin";

/// Commands that need no login.
const FREE_COMMANDS: [&str; 9] = [
    "hello",
    "ismaster",
    "saslstart",
    "saslcontinue",
    "ping",
    "buildinfo",
    "connectionstatus",
    "logout",
    "endsessions",
];

/// The login of one connection.
pub struct Login {
    credentials: Option<Arc<Credentials>>,
    is_logged_in: bool,
    conversation: Option<Conversation>,
    last_id: i32,
    pause: Duration,
}

/// A SASL exchange under way.
struct Conversation {
    id: i32,
    exchange: Exchange,
    step: LoginStep,
    /// The client skips the final empty message.
    skips_empty: bool,
    form: PayloadForm,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum LoginStep {
    Proof,
    /// It has; one empty message is to come.
    Empty,
}

/// How a client writes payloads, and gets them.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PayloadForm {
    Binary,
    /// Base64 in a text, as old clients do.
    Text,
}

type LoginReply = Result<Document, CommandError>;

impl Login {
    /// The login of a new connection; without credentials all commands are allowed.
    pub fn new(credentials: Option<Arc<Credentials>>) -> Self {
        Self {
            credentials,
            is_logged_in: false,
            conversation: None,
            last_id: 0,
            pause: Duration::ZERO,
        }
    }

    /// Whether this command may run now.
    pub fn allows(&self, command: &str) -> bool {
        self.is_open() || FREE_COMMANDS.iter().any(|free| free.eq_ignore_ascii_case(command))
    }

    /// Whether all commands are allowed: the connection has logged in, or needs no login.
    pub fn is_open(&self) -> bool {
        self.credentials.is_none() || self.is_logged_in
    }

    /// The answer to a command that [`Login::allows`] refuses.
    pub fn refusal(command: &str) -> RawDocumentBuf {
        let message = format!("Command {command} requires authentication");
        to_raw(Err(CommandError::new(Code::UNAUTHORIZED, message)))
    }

    /// Answers `saslStart`, `saslContinue`, `authenticate` and `logout`; `None` for other commands.
    pub fn handle(
        &mut self,
        db: &str,
        command: &RawDocument,
        client: &Client,
    ) -> Option<RawDocumentBuf> {
        let name = command.iter().next()?.ok()?.0;
        let reply = match name.as_str() {
            "saslStart" => self.start(db, command),
            "saslContinue" => self.go_on(command, client),
            "authenticate" => Err(no_mechanism(text(command, "mechanism").unwrap_or("MONGODB-CR"))),
            "logout" => {
                self.log_out(client);
                Ok(Document::new())
            }
            _ => return None,
        };
        Some(to_raw(reply))
    }

    /// Adds to the reply of `hello` which mechanisms there are, if it asks, and the answer to the
    /// first message of a login that it carries. A login that can't begin is passed over: the
    /// client tries again with `saslStart` and learns why.
    pub fn extend_hello(&mut self, command: &RawDocument, reply: &mut RawDocumentBuf) {
        if text(command, "saslSupportedMechs").is_some() {
            let mechanisms = [Some(MECHANISM)].into_iter().flatten();
            reply.append(cstr!("saslSupportedMechs"), mechanisms.collect::<bson::RawArrayBuf>());
        }
        if let Ok(Some(RawBsonRef::Document(first))) = command.get("speculativeAuthenticate") {
            let begun = self.start(text(first, "db").unwrap_or_default(), first);
            if let Some(begun) = begun.ok().and_then(|begun| raw(&begun).ok()) {
                reply.append(cstr!("speculativeAuthenticate"), begun);
            }
        }
    }

    /// How long the connection holds the last answer back; nothing but failed logins wait. Asking
    /// takes it away.
    pub fn take_pause(&mut self) -> Duration {
        std::mem::take(&mut self.pause)
    }

    fn log_out(&mut self, client: &Client) {
        self.is_logged_in = false;
        self.conversation = None;
        client.log_in(None);
    }

    fn start(&mut self, db: &str, command: &RawDocument) -> LoginReply {
        self.conversation = None;
        let Some(mechanism) = text(command, "mechanism") else {
            return Err(CommandError::new(
                Code::IDL_FAILED_TO_PARSE,
                "BSON field 'saslStart.mechanism' is missing but a required field",
            ));
        };
        if mechanism != MECHANISM {
            return Err(no_mechanism(mechanism));
        }
        let (payload, form) = payload(command, "saslStart")?;
        let server_nonce = nonce().map_err(|_| {
            CommandError::new(Code::INTERNAL_ERROR, "the system has no random numbers now")
        })?;
        let credentials = self.credentials.clone();
        let begun = Exchange::begin(&payload, &server_nonce, |user| match credentials {
            Some(credentials) if db == USERS_DB => credentials.keys_of(user),
            // Users exist only in `admin`, and only where a login is needed.
            _ => Keys::of_nobody(user, server_nonce.as_bytes()),
        });
        let Ok((exchange, answer)) = begun else { return Err(self.failure()) };
        self.last_id = self.last_id.wrapping_add(1);
        let id = self.last_id;
        let skips_empty = matches!(
            command.get("options"),
            Ok(Some(RawBsonRef::Document(options)))
                if matches!(options.get("skipEmptyExchange"), Ok(Some(RawBsonRef::Boolean(true))))
        );
        self.conversation =
            Some(Conversation { id, exchange, step: LoginStep::Proof, skips_empty, form });
        Ok(reply(id, false, answer.as_bytes(), form))
    }

    fn go_on(&mut self, command: &RawDocument, client: &Client) -> LoginReply {
        // Whatever goes wrong ends the exchange: no message is tried twice.
        let Some(mut conversation) = self.conversation.take() else {
            return Err(CommandError::new(
                Code::PROTOCOL_ERROR,
                "No SASL session state found; begin with saslStart",
            ));
        };
        let id = command.get("conversationId").ok().flatten();
        let id = id.and_then(crate::command::core::field_value::as_integer);
        if id != Some(i64::from(conversation.id)) {
            return Err(CommandError::new(
                Code::PROTOCOL_ERROR,
                "sasl: Mismatched conversation id",
            ));
        }
        let (payload, _) = payload(command, "saslContinue")?;
        let Conversation { id, form, skips_empty, .. } = conversation;
        if conversation.step == LoginStep::Empty {
            if !payload.is_empty() {
                return Err(self.failure());
            }
            self.succeed(&conversation, client);
            return Ok(reply(id, true, &[], form));
        }
        let Ok(answer) = conversation.exchange.finish(&payload) else { return Err(self.failure()) };
        if skips_empty {
            self.succeed(&conversation, client);
        } else {
            conversation.step = LoginStep::Empty;
            self.conversation = Some(conversation);
        }
        Ok(reply(id, skips_empty, answer.as_bytes(), form))
    }

    fn succeed(&mut self, conversation: &Conversation, client: &Client) {
        self.is_logged_in = true;
        client.log_in(Some(conversation.exchange.user().to_owned()));
        if let Some(credentials) = &self.credentials {
            credentials.note_success();
        }
    }

    /// The one answer to everything that is wrong with a login.
    fn failure(&mut self) -> CommandError {
        if let Some(credentials) = &self.credentials {
            self.pause = credentials.note_failure();
        }
        CommandError::new(Code::AUTHENTICATION_FAILED, "Authentication failed.")
    }
}

fn no_mechanism(mechanism: &str) -> CommandError {
    CommandError::new(
        Code::MECHANISM_UNAVAILABLE,
        format!(
            "Received authentication for mechanism {mechanism} which is unknown or not enabled; use \
             {MECHANISM}"
        ),
    )
}

fn reply(id: i32, is_done: bool, payload: &[u8], form: PayloadForm) -> Document {
    let payload = match form {
        PayloadForm::Text => Bson::String(STANDARD.encode(payload)),
        PayloadForm::Binary => {
            Bson::Binary(Binary { subtype: BinarySubtype::Generic, bytes: payload.to_vec() })
        }
    };
    doc! { "conversationId": id, "done": is_done, "payload": payload }
}

fn payload(command: &RawDocument, name: &str) -> Result<(Vec<u8>, PayloadForm), CommandError> {
    match command.get("payload")? {
        Some(RawBsonRef::Binary(binary)) => Ok((binary.bytes.to_vec(), PayloadForm::Binary)),
        Some(RawBsonRef::String(text)) => match STANDARD.decode(text) {
            Ok(bytes) => Ok((bytes, PayloadForm::Text)),
            Err(_) => Err(CommandError::new(
                Code::FAILED_TO_PARSE,
                format!("the payload of {name} is a text that is not base64"),
            )),
        },
        Some(other) => Err(CommandError::new(
            Code::TYPE_MISMATCH,
            format!(
                "BSON field '{name}.payload' is the wrong type '{}', expected types '[binData, string]'",
                crate::command::core::field_value::type_name(other)
            ),
        )),
        None => Err(CommandError::new(
            Code::IDL_FAILED_TO_PARSE,
            format!("BSON field '{name}.payload' is missing but a required field"),
        )),
    }
}

fn text<'d>(document: &'d RawDocument, name: &str) -> Option<&'d str> {
    match document.get(name) {
        Ok(Some(RawBsonRef::String(text))) => Some(text),
        _ => None,
    }
}

fn to_raw(reply: LoginReply) -> RawDocumentBuf {
    let document = match reply {
        Ok(mut document) => {
            document.insert("ok", 1.0);
            document
        }
        Err(error) => error.to_document(),
    };
    raw(&document).unwrap_or_default()
}
