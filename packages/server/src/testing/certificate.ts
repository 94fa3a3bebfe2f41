import { execFileSync } from 'node:child_process'
import { hash, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The certificate of a TLS server on this machine, signed by nobody else; files in `folder`. */
export function makeCertificate(folder: string) {
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const made = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2'
  const named = '-subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1'
  execFileSync('openssl', [...`${made} ${named}`.split(' '), '-keyout', key, '-out', cert], {
    stdio: 'ignore',
  })
  const publicKey = new X509Certificate(readFileSync(cert)).publicKey.export({ type: 'spki', format: 'der' })
  return {
    cert,
    key,
    /** Makes Chromium trust this certificate, and no other that it would not trust. */
    chromiumFlag: `--ignore-certificate-errors-spki-list=${hash('sha256', publicKey, 'base64')}`,
  }
}
