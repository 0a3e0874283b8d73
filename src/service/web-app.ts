import type { WebAppParts } from '../adapters/inbound/http/web-app/routes.ts'
import { consoleFiles } from '../adapters/platform/console/built-files.ts'
import { appBundle } from '../adapters/platform/console/sources.ts'
import type { Log } from '../ports/log.ts'
import type { WebApps } from '../ports/web-apps.ts'
import type { Closers } from './closers.ts'
import { ensureApp } from './console.ts'

/** The app in the box. In a checkout, whoever opens it first has it built; until then nothing of it is read. */
export function webAppOf(apps: WebApps, log: Log, closers: Closers): WebAppParts {
  const files = consoleFiles(appBundle.built)
  const asked = new AbortController()
  closers.add(() => asked.abort())
  let isLookedAt = false
  return {
    apps,
    files() {
      if (!isLookedAt) {
        isLookedAt = true
        void ensureApp(log, asked.signal).catch((error) => log.error({ err: error }, 'could not build the app'))
      }
      return files()
    },
  }
}
