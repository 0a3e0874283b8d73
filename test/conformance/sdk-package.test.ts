import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { buildSdk } from '../../build/sdk.ts'
import { shared } from '../harness/shared.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const node = (...args: readonly string[]): string =>
  execFileSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })

/** Files by their path. */
async function filesIn(directory: string): Promise<ReadonlyMap<string, string>> {
  const names = await readdir(directory, { recursive: true })
  const files = names.filter((name) => name.endsWith('.d.ts')).sort()
  return new Map(
    await Promise.all(files.map(async (name) => [name, await readFile(join(directory, name), 'utf8')] as const)),
  )
}

const APP = `import { Tocsin, TocsinError, type AlarmState } from '@tocsin/sdk'
import { FakeService } from '@tocsin/sdk/fake'
import { userHash, verifyWebhook, type Webhook } from '@tocsin/sdk/server'

const service = new FakeService({ contacts: ['Ana'] })
const tocsin = new Tocsin(service.options)
const alarm = await tocsin.sos.press({ mobileBattery: 50 })
const shown: AlarmState['step'][] = []
for await (const state of alarm) {
  if (shown.at(-1) !== state.step) shown.push(state.step)
  if (state.step === 'onServer') service.alertsContacts()
  if (state.step === 'alerted') service.answers('Ana', 'coming', 10)
  if (state.step === 'coming') await alarm.resolve()
}
const webhook: Webhook | null = verifyWebhook({}, '', 'secret')
await tocsin.close()
console.log(JSON.stringify([shown, alarm.state.over, webhook, userHash('s', 'u').length, new TocsinError(null).code]))
`

suite('the package of the SDK', () => {
  /** An app that has installed the package. */
  const app = shared(async (t) => {
    const directory = await mkdtemp(join(tmpdir(), 'tocsin-sdk-package-'))
    t.after(() => rm(directory, { recursive: true, force: true }))
    const place = join(directory, 'node_modules/@tocsin/sdk')
    await mkdir(place, { recursive: true })
    await buildSdk(join(directory, 'sdk.tgz'))
    // As npm unpacks it.
    execFileSync('tar', ['-xzf', join(directory, 'sdk.tgz'), '-C', place, '--strip-components=1'])
    await writeFile(join(directory, 'package.json'), '{ "type": "module" }')
    return { directory, place }
  })

  test('has the types of its sources: else bin/node build/sdk-types.ts', async (t) => {
    const fresh = await mkdtemp(join(tmpdir(), 'tocsin-sdk-types-'))
    t.after(() => rm(fresh, { recursive: true, force: true }))
    node('build/sdk-types.ts', fresh)
    assert.deepEqual([...(await filesIn(fresh))], [...(await filesIn(join(ROOT, 'sdk/types')))])
  })

  test('has the same bytes each time', async () => {
    const { directory } = app()
    await buildSdk(join(directory, 'again.tgz'))
    const [first, again] = await Promise.all(['sdk.tgz', 'again.tgz'].map((name) => readFile(join(directory, name))))
    assert.ok(first!.equals(again!))
  })

  test('is one that an app without the package mqtt compiles and runs', async () => {
    const { directory } = app()
    await writeFile(join(directory, 'app.ts'), APP)
    // Every declaration is checked, as in an app that trusts no library.
    const compilerOptions = {
      ...{ strict: true, noEmit: true, module: 'nodenext', target: 'es2022', lib: ['es2024', 'dom', 'dom.iterable'] },
      ...{ skipLibCheck: false, types: ['node'], typeRoots: [join(ROOT, 'node_modules/@types')] },
    }
    await writeFile(join(directory, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['app.ts'] }))
    node('node_modules/.bin/tsc', '--project', directory)
    const said = JSON.parse(
      execFileSync(process.execPath, [join(directory, 'app.ts')], { cwd: directory, encoding: 'utf8' }),
    )
    assert.deepEqual(said, [['kept', 'onServer', 'alerted', 'coming', 'over'], 'resolved', null, 64, 'no_network'])
  })

  test('names no module that a browser lacks, except the part for servers', async () => {
    const { place } = app()
    for (const entry of ['src/index.js', 'fake/index.js']) {
      const code = await readFile(join(place, entry), 'utf8')
      assert.doesNotMatch(code, /from "node:|from "mqtt"/)
      await import(pathToFileURL(join(place, entry)).href)
    }
  })
})
