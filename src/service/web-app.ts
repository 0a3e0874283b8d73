import { X509Certificate } from 'node:crypto'
import type { WebAppParts } from '../adapters/inbound/http/web-app/routes.ts'
import { consoleFiles } from '../adapters/platform/console/built-files.ts'
import { appBundle } from '../adapters/platform/console/sources.ts'
import { constraintsOf } from '../adapters/platform/tls/constraints.ts'
import type { TlsIdentity } from '../adapters/platform/tls/identity.ts'
import { publicUrlFinding } from '../core/account/public-url.ts'
import type { Log } from '../ports/log.ts'
import type { LocalCa, WebApps } from '../ports/web-apps.ts'
import type { Closers } from './closers.ts'
import { ensureApp } from './console.ts'

/** The app in the box. In a checkout, the first visit builds it; until then nothing of it is read. */
export function webAppOf(
  apps: WebApps,
  { tls, publicUrl }: { readonly tls: TlsIdentity | null; readonly publicUrl: () => string },
  log: Log,
  closers: Closers,
): WebAppParts {
  const files = consoleFiles(appBundle.built)
  const asked = new AbortController()
  closers.add(() => asked.abort())
  let isLookedAt = false
  return {
    apps,
    localCa: () => localCaOf(tls),
    needsHttps: () => publicUrl().startsWith('http:') && publicUrlFinding(publicUrl()) !== 'public_url_loopback',
    files() {
      if (!isLookedAt) {
        isLookedAt = true
        void ensureApp(log, asked.signal).catch((error) => log.error({ err: error }, 'could not build the app'))
      }
      return files()
    },
  }
}

/** Null where clients get a certificate of somebody else by name. */
export function localCaOf(tls: Pick<TlsIdentity, 'info'> | null): LocalCa | null {
  const info = tls?.info()
  if (info == null || info.source !== 'local' || info.ca === null) return null
  const { pem, fingerprint } = info.ca
  const constraints = constraintsOf(new X509Certificate(pem))
  return { pem, fingerprint, names: constraints === null ? ['*'] : [...constraints.dns, ...constraints.networks] }
}
