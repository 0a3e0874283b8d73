import { createSecrets } from '../adapters/platform/secrets/site-secrets.ts'
import { CertificateRecords, type PublicCertificate } from '../app/certificates/records.ts'
import { certificateConcern } from '../app/certificates/renewal.ts'
import type { Config } from '../config.ts'
import type { CertificateStore } from '../ports/certificate-store.ts'

/** The certificate of the CA, as the store has it; null if there is none, or `acme` is off. */
export async function storedCertificate(
  { acme, dataDir, secretsKey, store: { url } }: Config,
  open: () => Promise<CertificateStore>,
): Promise<{ readonly certificate: PublicCertificate | null; readonly concern: string | null }> {
  if (!acme.enabled) return { certificate: null, concern: null }
  const secrets = createSecrets({ dataDir, key: secretsKey?.reveal() ?? null, isShared: url !== null })
  const records = new CertificateRecords({ store: await open(), secrets, clock: { now: Date.now } })
  const kept = await records.read()
  return { certificate: kept.certificate, concern: records.keyTrouble() ?? certificateConcern(kept, Date.now()) }
}
