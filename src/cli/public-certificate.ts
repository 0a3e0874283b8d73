import { pairIn } from '../adapters/platform/tls/pasted-pair.ts'
import type { PublicPair } from '../adapters/platform/tls/public-pair.ts'
import { CertificateRecords } from '../app/upkeep/certificates/records.ts'
import { certificateConcern } from '../app/upkeep/certificates/renewal.ts'
import { acmeDomains, namesConcern } from '../config/acme.ts'
import type { Config } from '../config.ts'
import type { CertificateStore } from '../ports/certificate-store.ts'
import { pastedConcern } from '../service/certificates.ts'
import { secretsOf } from '../service/site-config.ts'

/**
 * The certificate that clients get who ask for one of its names: `tls.pem`, or that of the CA as the store has it. Null
 * if there is none. `config`: in force, with the console's settings.
 */
export async function storedCertificate(
  config: Config,
  open: () => Promise<CertificateStore>,
): Promise<{ readonly certificate: PublicPair | null; readonly concern: string | null }> {
  const { acme, tls } = config
  if (tls.cert !== null) return { certificate: null, concern: null }
  if (tls.pem !== null) {
    const text = tls.pem.reveal()
    return { certificate: pairIn(text), concern: pastedConcern(text, config) }
  }
  if (!acme.enabled) return { certificate: null, concern: null }
  const records = new CertificateRecords({ store: await open(), secrets: secretsOf(config), clock: { now: Date.now } })
  const kept = await records.read()
  const wanted = { directory: acme.directory, domains: acmeDomains(config) }
  const concern = records.keyTrouble() ?? certificateConcern(kept, wanted, Date.now()) ?? namesConcern(config)
  return { certificate: kept.certificate, concern }
}
