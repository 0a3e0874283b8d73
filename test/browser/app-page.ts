import assert from 'node:assert/strict'
import { after, before, type TestContext } from 'node:test'
import fastify from 'fastify'
import type { Browser } from 'playwright-core'
import { webAppRoutes } from '../../src/adapters/inbound/http/web-app/routes.ts'
import { consoleFiles } from '../../src/adapters/platform/console/built-files.ts'
import { appBundle } from '../../src/adapters/platform/console/sources.ts'
import type { BuiltConsole } from '../../src/ports/console-files.ts'
import type { WebApp } from '../../src/ports/web-apps.ts'
import { ensureApp } from '../../src/service/console.ts'
import { openBrowser } from '../harness/browser.ts'

export const HUT: WebApp = {
  id: '0190aaaa-0000-7000-8000-000000000001',
  name: 'Hut',
  colour: '#0b57c2',
  emergencyNumber: '112',
  country: 'AT',
  smsNumber: null,
}

/** The app as it is built from the sources, and one browser for the tests of a suite. Call it inside the suite. */
export function appBrowser(): { readonly browser: () => Browser } {
  let browser: Browser
  before(async () => {
    const warn = (_: unknown, text: string): void => assert.fail(text)
    await ensureApp({ warn }, AbortSignal.timeout(60_000))
    browser = await openBrowser()
  })
  after(() => browser?.close())
  return { browser: () => browser }
}

/** Its files alone, on a server that can be another build, or be gone. */
export async function serveFiles(t: TestContext) {
  const files = consoleFiles(appBundle.built)
  const state = { isDown: false, changes: (built: BuiltConsole): BuiltConsole => built }
  const paths: string[] = []
  const app = fastify({ forceCloseConnections: true })
  app.addHook('onRequest', async (request, reply) => {
    paths.push(request.url)
    if (state.isDown) reply.raw.destroy()
  })
  app.register(
    webAppRoutes({
      apps: { isAnyOn: async () => true, find: async (id) => (id === HUT.id ? HUT : null) },
      files: async () => {
        const built = await files()
        return built && state.changes(built)
      },
    }),
  )
  app.get('/v1/time', async () => ({ at: paths.length }))
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  t.after(() => app.close())
  return { url, state, paths }
}
