import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { openSites, playAll } from '../../examples/check/play.ts'
import { markdown, verdictOf } from '../../examples/check/report.ts'
import { SITUATIONS } from '../../examples/check/situations.ts'
import { Stage } from '../../examples/check/stage.ts'
import { hasProgram, skipWithout } from '../fixtures/requires.ts'
import { shared } from '../harness/shared.ts'

/**
 * Each example against the real service, through the network of `examples/check` that loses answers. All twelve
 * situations take a minute and run by hand (docs/check.md): here are those in which an alarm is lost most easily.
 */
const chosen = SITUATIONS.filter(({ name }) =>
  ['puback-lost', 'answer-lost', 'restart', 'cancel-queued'].includes(name),
)

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const PYTHON = '/usr/bin/python3'
const CHECK = `${ROOT}examples/check/`

const hasPaho = (): boolean => {
  try {
    execFileSync(PYTHON, ['-c', 'import paho.mqtt.client'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

suite('clients in the network that loses answers', { concurrency: true }, () => {
  const sites = shared(async (t) => {
    const opened = await openSites(chosen)
    t.after(opened.stop)
    return opened
  })
  const plan = { atOnce: chosen.length, short: true, verbose: false }

  async function passes(...argv: readonly string[]): Promise<void> {
    const results = await playAll(sites(), { ...plan, situations: chosen, client: { kind: 'program', argv } })
    const failed = results.filter((result) => verdictOf(result) === 'FAIL')
    assert.equal(failed.length, 0, markdown(failed))
  }

  /** A press is never lost for what an app hands over with it. */
  async function takes(...argv: readonly string[]): Promise<void> {
    for (const fields of ['{} {}', '{"latitude":NaN,"longitude":1}']) {
      const stage = await Stage.open(sites().of(chosen[0]!), { kind: 'program', argv }, 'odd-fields', true)
      const phone = await stage.phone()
      try {
        phone.device.start()
        await stage.started(phone)
        stage.press(phone, fields)
        await stage.arrives(phone, 20_000)
      } finally {
        await stage.close()
      }
      assert.deepEqual(stage.findings, [], fields)
    }
  }

  test('the SDK loses no alarm', () => passes(process.execPath, `${CHECK}clients/sdk.ts`))

  test('examples/python loses no alarm', async (t: TestContext) => {
    if (skipWithout(t, "Debian's python3-paho-mqtt", hasPaho())) return
    await Promise.all([passes(PYTHON, `${ROOT}examples/python/sos.py`), takes(PYTHON, `${ROOT}examples/python/sos.py`)])
  })

  test('examples/shell loses no alarm', async (t: TestContext) => {
    for (const name of ['mosquitto_pub', 'curl']) if (skipWithout(t, name, hasProgram(name))) return
    if (!hasProgram('jq')) return t.skip('needs jq')
    await Promise.all([passes(`${ROOT}examples/shell/sos`), takes(`${ROOT}examples/shell/sos`)])
  })

  test('examples/c loses no alarm', async (t: TestContext) => {
    const directory = await mkdtemp(join(tmpdir(), 'tocsin-example-c-'))
    t.after(() => rm(directory, { recursive: true, force: true }))
    const program = join(directory, 'sos')
    // Headers of three libraries: .ci/run installs them where it can.
    const made = spawnSync('make', ['-C', `${ROOT}examples/c`, `PROGRAM=${program}`], { encoding: 'utf8' })
    if (made.error !== undefined || /No such file|not found|cannot find/.test(made.stderr))
      return t.skip('needs make, gcc, libmosquitto-dev, libcurl4-openssl-dev and libcjson-dev')
    assert.equal(made.status, 0, made.stderr)
    assert.equal(made.stderr, '', 'compiles without a warning')
    await Promise.all([passes(program), takes(program)])
  })

  test('control: plain MQTT.js is found to wait for ever', async () => {
    const client = { kind: 'program', argv: [process.execPath, `${CHECK}clients/mqttjs.ts`] } as const
    const situations = chosen.filter(({ name }) => name === 'puback-lost')
    const [result] = await playAll(sites(), { ...plan, situations, client })
    assert.match(markdown([result!]), /FAIL: it never learned that the press is on the server.*\| FAIL \|$/m)
  })

  test('control: a line of mosquitto_pub is found to forget the press', async (t: TestContext) => {
    if (skipWithout(t, 'mosquitto_pub', hasProgram('mosquitto_pub'))) return
    const client = {
      kind: 'commands',
      press: `${CHECK}clients/mosquitto_pub press`,
      cancel: null,
      start: null,
    } as const
    const situations = chosen.filter(({ name }) => name === 'restart')
    const [result] = await playAll(sites(), { ...plan, situations, client })
    assert.match(markdown([result!]), /FAIL: no alarm was raised/)
  })

  test('wrong use says how it is used', () => {
    const { status, stderr } = spawnSync(`${CHECK}run`, ['--only', 'nothing', 'true'], { encoding: 'utf8' })
    assert.equal(status, 2, stderr)
    assert.match(stderr, /no situation nothing\.[\s\S]*examples\/check\/run/)
  })
})
