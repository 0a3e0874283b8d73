import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { type AlarmState, Tocsin } from '../../sdk/src/index.ts'
import { endsLastFirst } from '../harness/last-first.ts'
import { type Site, startSite } from '../harness/site.ts'
import { mountSmallDisk } from '../harness/tmpfs.ts'
import { until } from '../harness/wait.ts'

const APP = fileURLToPath(new URL('../fixtures/sdk-press.ts', import.meta.url))
/** Nothing listens there. */
const NOWHERE = 'http://127.0.0.1:9'

type Run = { readonly states: AlarmState[]; readonly child: ChildProcess; kill(): Promise<void> }

/** An app in a process of its own. It ends with the test. */
function startApp(t: TestContext, options: object, act: 'press' | 'start'): Run {
  const child = spawn(process.execPath, [APP, JSON.stringify(options), act], { stdio: ['ignore', 'pipe', 'inherit'] })
  const states: AlarmState[] = []
  let held = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const lines = (held + text).split('\n')
    held = lines.pop()!
    states.push(...lines.map((line) => JSON.parse(line)))
  })
  const ended = once(child, 'close')
  const kill = async () => {
    child.kill('SIGKILL')
    await ended
  }
  endsLastFirst(t, kill)
  return { states, child, kill }
}

async function newFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-sdk-'))
  endsLastFirst(t, () => rm(folder, { recursive: true, force: true }))
  return folder
}

const who = ({ user: { account, hash } }: Site) => ({
  appId: account.appId,
  userId: account.externalUserId,
  userHash: hash,
})

const historyOf = async ({ user }: Site) => (await user.rest('GET', '/v1/sdk/sos/history')).body.items

suite('the SDK in a process of Node', () => {
  test('a press that waits survives SIGKILL, and its next start sends it with its time', async (t) => {
    const site = await startSite(t, { contacts: ['Ana'], now: Date.now() })
    const storage = await newFolder(t)
    const first = startApp(t, { ...who(site), url: NOWHERE, storage }, 'press')
    await until('it is kept', () => first.states.length > 0)
    const { pressedAt, kept, step } = first.states[0]!
    assert.deepEqual([kept, step], [true, 'kept'])
    await first.kill()
    assert.deepEqual(await historyOf(site), [])

    const second = startApp(t, { ...who(site), url: site.user.account.http, storage }, 'start')
    await until('it is on the server', () => second.states.some((state) => state.step !== 'kept'))
    const [incident, ...others] = await historyOf(site)
    assert.deepEqual([incident.occurredAt, others], [pressedAt, []])
    assert.ok(second.states.every((state) => state.pressedAt === pressedAt && state.kept))

    // Killed again, once the service has it: the third start sends no second alarm, and knows the incident.
    await second.kill()
    const third = startApp(t, { ...who(site), url: site.user.account.http, storage }, 'start')
    await until('it knows', () => third.states.some(({ incidentId }) => incidentId === incident.incidentId))
    assert.equal(third.states[0]!.step, 'onServer', 'what was shown before is shown at once')
    assert.equal((await historyOf(site)).length, 1)
  })

  test('killed at any moment of a press, it has said that it is kept only if it is', async (t) => {
    const site = await startSite(t, { contacts: ['Ana'] })
    const moments = [0, 3, 10]
    await Promise.all(
      moments.map(async (ms) => {
        const storage = await newFolder(t)
        const user = await site.newUser(`hiker-${ms}`).introduce()
        const { account, hash } = user
        const options = { appId: account.appId, userId: account.externalUserId, userHash: hash, storage }
        const run = startApp(t, { ...options, url: NOWHERE }, 'press')
        // The state is a line as soon as `press()` has resolved.
        await once(run.child.stdout!, 'data')
        await new Promise((resolve) => setTimeout(resolve, ms))
        await run.kill()
        const app = new Tocsin({ ...options, url: account.http, mqtt: false, position: async () => null })
        t.after(() => app.close())
        const [alarm] = await app.sos.alarms()
        assert.equal(alarm?.state.pressedAt, run.states[0]!.pressedAt)
        await until('it is on the server', () => alarm!.state.step !== 'kept')
      }),
    )
  })

  test('on a full disk it says that the press is not kept, sends it all the same, and keeps the next one', async (t) => {
    const disk = mountSmallDisk(t, 1)
    if (disk === null) return
    const site = await startSite(t, { contacts: ['Ana'], settings: { graceSeconds: 3600 } })
    const options = {
      ...who(site),
      url: site.user.account.http,
      storage: disk.path,
      mqtt: false,
      position: async () => null,
    } as const
    const app = new Tocsin(options)
    t.after(() => app.close())
    await app.sos.alarms()
    await disk.fill()
    const alarm = await app.sos.press()
    assert.deepEqual([alarm.state.kept, alarm.state.step], [false, 'kept'], 'not kept, and not on the server yet')
    await until('it is on the server', () => alarm.state.step !== 'kept')
    assert.equal((await historyOf(site)).length, 1)
    assert.equal(alarm.state.kept, false)
    await alarm.cancel()
    await until('its end has got through', () => alarm.state.over === 'cancelled')
    await disk.empty()
    const next = await app.sos.press()
    assert.equal(next.state.kept, true)
  })

  test('a folder on a disk that was full before the start keeps nothing, and the press goes out', async (t) => {
    const disk = mountSmallDisk(t, 1)
    if (disk === null) return
    const site = await startSite(t, { contacts: ['Ana'] })
    await disk.fill()
    const app = new Tocsin({ ...who(site), url: site.user.account.http, storage: disk.path, mqtt: false })
    t.after(() => app.close())
    const alarm = await app.sos.press()
    assert.equal(alarm.state.kept, false)
    await until('it is on the server', () => alarm.state.step !== 'kept')
  })
})
