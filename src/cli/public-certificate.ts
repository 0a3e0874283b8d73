import { createSecrets } from '../adapters/platform/secrets/site-secrets.ts'
import { CertificateRecords, type PublicCertificate } from '../app/certificates/records.ts'
import { certificateConcern } from '../app/certificates/renewal.ts'
import { acmeDomains } from '../config/acme.ts'
import type { Config } from '../config.ts'
import type { CertificateStore } from '../ports/certificate-store.ts'

/** The certificate of the CA, as the store has it; null if there is none, or `acme` is off. */
export async function storedCertificate(
  config: Config,
  open: () => Promise<CertificateStore>,
): Promise<{ readonly certificate: PublicCertificate | null; readonly concern: string | null }> {
  const {
    acme,
    dataDir,
    secretsKey,
    store: { url },
  } = config
  if (!acme.enabled) return { certificate: null, concern: null }
  const secrets = createSecrets({ dataDir, key: secretsKey?.reveal() ?? null, isShared: url !== null })
  const records = new CertificateRecords({ store: await open(), secrets, clock: { now: Date.now } })
  const kept = await records.read()
  const wanted = { directory: acme.directory, domains: acmeDomains(config) }
  const concern = records.keyTrouble() ?? certificateConcern(kept, wanted, Date.now())
  return { certificate: kept.certificate, concern }
}
