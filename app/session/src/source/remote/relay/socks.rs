//! The SOCKS5 proxy that the relay is to the driver: RFC 1928 with the login of RFC 1929.

use std::io;
use std::net::{Ipv4Addr, Ipv6Addr};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

const VERSION: u8 = 5;

/// The login with a user and a password.
const LOGIN: u8 = 2;

/// Said when no login of the client's is accepted.
const NO_LOGIN: u8 = 0xff;

/// The command for a connection.
const CONNECT: u8 = 1;

/// A user and a password that only the relay's own driver knows.
pub struct Login {
    pub user: String,
    pub password: String,
}

impl Login {
    /// Random ones.
    ///
    /// # Errors
    /// The system has no random numbers.
    pub fn random() -> io::Result<Self> {
        Ok(Self { user: random()?, password: random()? })
    }

    /// Whether they are the same, in a time that says nothing about how far they are.
    fn is(&self, user: &[u8], password: &[u8]) -> bool {
        is_same(self.user.as_bytes(), user) & is_same(self.password.as_bytes(), password)
    }
}

fn random() -> io::Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    Ok(format!("{:032x}", u128::from_le_bytes(bytes)))
}

fn is_same(one: &[u8], other: &[u8]) -> bool {
    let differing = one.iter().zip(other).fold(0, |all, (one, other)| all | (one ^ other));
    one.len() == other.len() && differing == 0
}

/// Checks the login, and reads which host and port are wanted.
///
/// # Errors
/// The client is not the driver, or it left.
pub async fn accept(client: &mut TcpStream, login: &Login) -> io::Result<(String, u16)> {
    let [VERSION, count] = bytes(client).await? else { return refused() };
    let methods = counted(client, count).await?;
    if !methods.contains(&LOGIN) {
        client.write_all(&[VERSION, NO_LOGIN]).await?;
        return refused();
    }
    client.write_all(&[VERSION, LOGIN]).await?;
    let [_, count] = bytes(client).await?;
    let user = counted(client, count).await?;
    let [count] = bytes(client).await?;
    let password = counted(client, count).await?;
    let is_driver = login.is(&user, &password);
    client.write_all(&[1, u8::from(!is_driver)]).await?;
    if !is_driver {
        return refused();
    }
    let [VERSION, CONNECT, _, kind] = bytes(client).await? else { return refused() };
    let host = match kind {
        1 => Ipv4Addr::from(bytes(client).await?).to_string(),
        3 => {
            let [count] = bytes(client).await?;
            String::from_utf8(counted(client, count).await?).map_err(io::Error::other)?
        }
        4 => Ipv6Addr::from(bytes::<16>(client).await?).to_string(),
        _ => return refused(),
    };
    Ok((host, u16::from_be_bytes(bytes(client).await?)))
}

/// Tells the client that the connection is there.
///
/// # Errors
/// The client left.
pub async fn confirm(client: &mut TcpStream) -> io::Result<()> {
    client.write_all(&[VERSION, 0, 0, 1, 0, 0, 0, 0, 0, 0]).await
}

async fn bytes<const COUNT: usize>(client: &mut TcpStream) -> io::Result<[u8; COUNT]> {
    let mut bytes = [0; COUNT];
    client.read_exact(&mut bytes).await?;
    Ok(bytes)
}

async fn counted(client: &mut TcpStream, count: u8) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; count.into()];
    client.read_exact(&mut bytes).await?;
    Ok(bytes)
}

fn refused<T>() -> io::Result<T> {
    Err(io::ErrorKind::PermissionDenied.into())
}
