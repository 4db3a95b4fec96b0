//! TLS of the relay's connections, with the options and the library of the driver.

use std::path::Path;
use std::sync::Arc;

use mongodb::options::TlsOptions;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{self, CryptoProvider, ring};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};
use tokio_rustls::TlsConnector;

/// Reads the files that the options name.
pub fn connector(options: &TlsOptions) -> Result<TlsConnector, String> {
    let provider = Arc::new(ring::default_provider());
    let mut authorities = RootCertStore::empty();
    if let Some(path) = &options.ca_file_path {
        authorities.add_parsable_certificates(certificates(path)?);
    } else {
        authorities.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    }
    let config = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|error| failed(&error.to_string()))?
        .with_root_certificates(authorities);
    let mut config = match &options.cert_key_file_path {
        None => config.with_no_client_auth(),
        Some(path) => {
            let key = PrivateKeyDer::from_pem_file(path)
                .map_err(|error| failed(&format!("{}: {error}", path.display())))?;
            config
                .with_client_auth_cert(certificates(path)?, key)
                .map_err(|error| failed(&error.to_string()))?
        }
    };
    if options.allow_invalid_certificates == Some(true) {
        let any = Arc::new(AnyCertificate(provider));
        config.dangerous().set_certificate_verifier(any);
    }
    Ok(TlsConnector::from(Arc::new(config)))
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, String> {
    let of_file = |why: &str| failed(&format!("{}: {why}", path.display()));
    let found: Result<Vec<_>, _> =
        CertificateDer::pem_file_iter(path).map_err(|error| of_file(&error.to_string()))?.collect();
    let found = found.map_err(|error| of_file(&error.to_string()))?;
    if found.is_empty() { Err(of_file("it has no certificate")) } else { Ok(found) }
}

fn failed(why: &str) -> String {
    format!("TLS can't be set up: {why}")
}

/// Accepts every certificate. Its owner must still have the key.
#[derive(Debug)]
struct AnyCertificate(Arc<CryptoProvider>);

impl ServerCertVerifier for AnyCertificate {
    fn verify_server_cert(
        &self,
        _end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let known = &self.0.signature_verification_algorithms;
        crypto::verify_tls12_signature(message, certificate, signature, known)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let known = &self.0.signature_verification_algorithms;
        crypto::verify_tls13_signature(message, certificate, signature, known)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
