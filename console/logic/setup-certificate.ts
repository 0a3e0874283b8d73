import { changesOf, type Draft, isOurs } from './setup-values.ts'

/** The source of the certificate that clients get by name. */
export type CertificateKind = 'local' | 'acme' | 'own'
export const certificateKinds: readonly CertificateKind[] = ['local', 'acme', 'own']

type Setting = Parameters<typeof changesOf>[0][number]

/** The keys in the form of each kind: those that everyone needs, and the rest. */
export const certificateKeys = {
  local: { main: [], more: ['tls.names'] },
  acme: { main: ['acme.email', 'acme.domains', 'http.acmePort'], more: ['acme.directory', 'tls.names'] },
  own: { main: ['tls.pem'], more: ['tls.names'] },
} as const satisfies Readonly<Record<CertificateKind, object>>

const settingOf = (settings: readonly Setting[], wanted: string): Setting | null =>
  settings.find(({ key }) => key === wanted) ?? null
const isSet = (setting: Setting | null): boolean => setting?.set === true && setting.source !== 'default'

/** The present setup. */
export function kindOfCertificate(settings: readonly Setting[]): CertificateKind {
  if (settingOf(settings, 'acme.enabled')?.value === true) return 'acme'
  return isSet(settingOf(settings, 'tls.pem')) ? 'own' : 'local'
}

/** Whether the console may choose another kind: nothing in the file decides it. `isOfFile`: it has `tls.cert`. */
export const mayChooseKind = (settings: readonly Setting[], isOfFile: boolean): boolean =>
  !isOfFile && ['acme.enabled', 'tls.pem'].every((key) => isOurs(settingOf(settings, key) ?? { source: 'default' }))

/** The draft when somebody chooses a kind: a CA connects to port 80. */
export function draftFor(settings: readonly Setting[], kind: CertificateKind): Draft {
  const port = settingOf(settings, 'http.acmePort')
  return kind === 'acme' && port?.value === 'off' && isOurs(port) ? { 'http.acmePort': '80' } : {}
}

/** The values for the service: the draft, and the removals that the choice of another kind brings. */
export function certificateChanges(
  settings: readonly Setting[],
  kind: CertificateKind,
  draft: Draft,
): Readonly<Record<string, unknown>> {
  const { main, more } = certificateKeys[kind]
  const keys: readonly string[] = [...main, ...more]
  const typed = changesOf(
    settings.filter(({ key }) => keys.includes(key)),
    draft,
  )
  const gone = (kind === 'acme' ? [] : ['acme.enabled', 'http.acmePort'])
    .concat(kind === 'own' ? [] : ['tls.pem'])
    .filter((key) => settingOf(settings, key)?.source === 'console')
  const isNew = kind === 'acme' && kindOfCertificate(settings) !== 'acme'
  return { ...(isNew && { 'acme.enabled': true }), ...Object.fromEntries(gone.map((key) => [key, null])), ...typed }
}
