import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { suite, type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import Database from 'better-sqlite3'
import { readConfig } from '../../src/config.ts'
import { commandLine } from '../cli/command-line.ts'
import { hasProgram, skipWithout } from '../fixtures/requires.ts'
import { answering, runCommand } from '../harness/command-line.ts'
import { PhoneUser } from '../harness/phone-user.ts'
import { refusedStart, TocsinProcess } from '../harness/tocsin-process.ts'
import { until } from '../harness/wait.ts'
import { blocksOf } from './page.ts'

const PROGRAM = new URL('../../bin/tocsin.js', import.meta.url).pathname
const pageOf = (name: string): Promise<string> => readFile(new URL(`../../docs/${name}`, import.meta.url), 'utf8')
const page = await pageOf('operating.md')

const block = (info: string): string => {
  const found = blocksOf(page).find((one) => one.info === info)
  assert.ok(found, `the page has no block \`${info}\``)
  return found.text
}

async function directory(t: TestContext): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'tocsin-docs-'))
  t.after(() => rm(made, { recursive: true, force: true }))
  return made
}

/**
 * Stand-ins for what the page's commands expect of a machine: its service manager, its command line, and its installer.
 */
const PRELUDE = `
set -e
tocsin() { "$NODE" "$PROGRAM" "$@"; }
# The day on which the machine was set up, also after midnight.
date() { command date --date "$TODAY" "$@"; }
sudo() {
  case "$1" in
    systemd/install.sh) mkdir -p "$ROOT/etc/tocsin" "$ROOT/var/lib/tocsin"; : > "$ROOT/etc/tocsin/tocsin.yaml"; systemctl start tocsin ;;
    # There is no such user here.
    chown | chgrp) ;;
    *) "$@" ;;
  esac
}
systemctl() {
  case "$1" in
    start)
      # Empty before the wait below reads it: the shell in the background truncates it at some later moment.
      : > "$ROOT/log"
      "$NODE" "$PROGRAM" start >> "$ROOT/log" 2>&1 &
      echo $! > "$ROOT/pid"
      until grep -q '"msg":"ready"' "$ROOT/log"; do kill -0 "$(cat "$ROOT/pid")"; sleep 0.05; done ;;
    stop | disable)
      kill "$(cat "$ROOT/pid")"
      while kill -0 "$(cat "$ROOT/pid")" 2>/dev/null; do sleep 0.05; done ;;
  esac
}
`

/** A machine in its own directory, on which the page's commands run with the real program. */
async function machine(t: TestContext) {
  const root = await mkdtemp(join(tmpdir(), 'tocsin-docs-'))
  const env = {
    PATH: process.env.PATH ?? '',
    NODE: process.execPath,
    PROGRAM,
    ROOT: root,
    TODAY: new Date().toISOString(),
    TOCSIN_CONFIG: join(root, 'etc/tocsin/tocsin.yaml'),
    TOCSIN_DATA_DIR: join(root, 'var/lib/tocsin'),
    TOCSIN_HTTP_PORT: '0',
    TOCSIN_MQTT_PORT: '0',
    TOCSIN_MQTTS_PORT: '0',
    TOCSIN_MQTTS_HOST: '127.0.0.1',
    TOCSIN_HTTPS_PORT: 'off',
  }
  for (const part of ['root', 'etc/tocsin', 'var/lib/tocsin']) await mkdir(join(root, part), { recursive: true })
  await writeFile(env.TOCSIN_CONFIG, '')
  const here = (text: string): string =>
    text.replace(/(?<=[\s="])\/(root|etc|var)\//g, `${root}/$1/`).replaceAll('-C / ', `-C ${root} `)
  const paste = async (text: string): Promise<string> => {
    const { stdout } = await promisify(execFile)('bash', ['-c', PRELUDE + here(text)], { cwd: root, env })
    return stdout
  }
  const answer = answering((...args) => runCommand(env, args))
  const listeners = async () => {
    const lines = (await readFile(join(root, 'log'), 'utf8')).split('\n')
    return JSON.parse(lines.find((line) => line.includes('"msg":"ready"'))!).listeners
  }
  t.after(async () => {
    const pid = Number(await readFile(join(root, 'pid'), 'utf8').catch(() => '0'))
    try {
      if (pid > 0) process.kill(pid, 'SIGKILL')
    } catch {
      // It has been stopped.
    }
    // Hooks run in order, and the file with the process id is needed until here.
    await rm(root, { recursive: true, force: true })
  })
  return { root, here, paste, answer, listeners }
}

type Machine = Awaited<ReturnType<typeof machine>>

/** A site with an open incident that one contact knows about. */
async function alarmed({ paste, answer, listeners }: Machine) {
  await paste('systemctl start tocsin')
  const { appId, secret } = await answer('app', 'create', '--name', 'Hut')
  const hurried = ['--grace-seconds', '0', '--ack-timeout-seconds', '600', '--voice', 'off']
  await answer('app', 'actuator', 'set', appId, 'emergency_contacts', ...hurried)
  const user = new PhoneUser({ ...(await listeners()), appId, secret, externalUserId: 'hiker-1' })
  await user.introduce({ name: 'Mia' })
  await user.rest('POST', '/v1/sdk/contacts', { name: 'Ana', phone: '+436600001' })
  const { body } = await user.rest('POST', '/v1/sdk/sos', { timestamp: new Date().toISOString() })
  await until('the contact is told', async () => (await user.openIncident())?.actuators.items[0].status === 'sent')
  return { appId, secret, incidentId: body.incident.incidentId as string }
}

/** The texts to the contact: the alarm, and the all-clear after the end. */
const texts = async ({ answer }: Machine): Promise<number> => (await answer('outbox', 'list')).length

suite('docs/operating.md', () => {
  test('a backup is restored, and its open incident continues and ends as the page says', async (t) => {
    const site = await machine(t)
    const { root, paste, answer } = site
    const { incidentId } = await alarmed(site)
    await paste(block('sh backup'))
    await paste('sudo tocsin backup /var/backups/tocsin/tocsin.db --force')

    const said = await paste(block('sh restore'))
    assert.match(said, new RegExp(`${incidentId}.*active`))
    assert.match(said, /Nothing is sent for these until you run tocsin incident resume ID\./)
    const names = await readdir(join(root, 'var/lib/tocsin'))
    assert.equal(names.filter((name) => /^tocsin-.+\.db$/.test(name)).length, 1)

    const commands = block('sh incidents').trim().replaceAll(' ID ', ` ${incidentId} `).split('\n')
    const [list, resume, resolve] = commands as [string, string, string]
    assert.match(await paste(list), new RegExp(incidentId))
    await paste(resume)
    await paste(resolve)
    assert.equal((await answer('incident', 'show', incidentId)).status, 'resolved')
    await until('the contact hears that it is over', async () => (await texts(site)) === 2)
  })

  test('a held incident that is resolved is over, and nobody hears of it before it is resumed', async (t) => {
    const site = await machine(t)
    const { paste, answer } = site
    const { incidentId } = await alarmed(site)
    await paste(block('sh backup'))
    await paste(block('sh restore'))
    await answer('incident', 'resolve', incidentId)
    const db = new Database(join(site.root, 'var/lib/tocsin/tocsin.db'), { readonly: true })
    const next = db.prepare('SELECT next_action_at FROM incidents').pluck().all()
    db.close()
    assert.deepEqual([next, await texts(site)], [[null], 1])
    await answer('incident', 'resume', incidentId)
    await until('the contact hears that it is over', async () => (await texts(site)) === 2)
  })

  test('the daily backup contains database, CA, configuration and credentials, readable only by its owner', async (t) => {
    const { root, here, paste, answer } = await machine(t)
    await answer('app', 'create', '--name', 'Hut')
    await answer('tls', 'show')
    const credentials = join(root, 'etc/tocsin/credentials')
    await mkdir(credentials, { mode: 0o700 })
    await writeFile(join(credentials, 'TOCSIN_TWILIO_AUTH_TOKEN'), 'token', { mode: 0o600 })
    const old = join(root, 'var/backups/tocsin/2026-01-01')
    await mkdir(old, { recursive: true })
    await writeFile(join(old, 'tocsin.db'), 'old')
    const fifteenDaysAgo = Date.now() / 1000 - 15 * 24 * 3600
    await utimes(old, fifteenDaysAgo, fifteenDaysAgo)

    // Twice on one day, as after a restore in between.
    await paste(block('sh script'))
    await paste(block('sh script'))
    const [today, ...others] = await readdir(join(root, 'var/backups/tocsin'))
    assert.deepEqual(others, [])
    const made = join(root, 'var/backups/tocsin', today!)
    const files = ['tocsin.db', 'tls/ca.crt', 'tls/ca.key', 'tocsin/tocsin.yaml']
    for (const file of [...files, 'tocsin/credentials/TOCSIN_TWILIO_AUTH_TOKEN']) await stat(join(made, file))
    assert.deepEqual((await readdir(made)).toSorted(), ['tls', 'tocsin', 'tocsin.db'])
    assert.equal((await stat(made)).mode & 0o777, 0o700)

    if (skipWithout(t, 'systemd-analyze', hasProgram('systemd-analyze'))) return
    const units = await directory(t)
    const script = join(units, 'tocsin-backup')
    await writeFile(script, here(block('sh script')))
    await chmod(script, 0o700)
    const paths: string[] = []
    for (const name of ['tocsin-backup.service', 'tocsin-backup.timer']) {
      paths.push(join(units, name))
      await writeFile(join(units, name), block(`ini ${name}`).replace('/usr/local/sbin/tocsin-backup', script))
    }
    const { stderr } = await promisify(execFile)('systemd-analyze', ['verify', '--man=no', ...paths])
    assert.doesNotMatch(stderr, /tocsin-backup/)
  })

  test('a moved site stays the same: its CA, its users, its configuration', async (t) => {
    const [old, new_] = [await machine(t), await machine(t)]
    const { appId, incidentId } = await alarmed(old)
    await old.answer('incident', 'resolve', incidentId)
    await writeFile(join(old.root, 'etc/tocsin/tocsin.yaml'), 'publicUrl: https://sos.example.org\n')
    const before = await old.answer('tls', 'show')
    await old.paste(block('sh old'))

    const archive = await readFile(join(old.root, 'root/tocsin.tar.gz'))
    await writeFile(join(new_.root, 'tocsin.tar.gz'), archive)
    await new_.paste(block('sh new'))
    const after = await new_.answer('tls', 'show')
    assert.equal(after.ca.fingerprint, before.ca.fingerprint)
    assert.deepEqual(
      (await new_.answer('user', 'list', appId)).map(({ name }: any) => name),
      ['Mia'],
    )
    assert.equal((await new_.answer('config', 'check')).config.publicUrl, 'https://sos.example.org')
    assert.equal((await fetch(`${(await new_.listeners()).http}/readyz`)).status, 200)
  })

  test('a lost machine comes back from its daily backup, with its CA', async (t) => {
    const [lost, found] = [await machine(t), await machine(t)]
    const { appId, incidentId } = await alarmed(lost)
    await writeFile(join(lost.root, 'etc/tocsin/tocsin.yaml'), 'publicUrl: https://sos.example.org\n')
    const before = await lost.answer('tls', 'show')
    await lost.paste(block('sh script'))
    const days = join(lost.root, 'var/backups/tocsin')
    const [today] = await readdir(days)
    await cp(join(days, today!), join(found.root, 'root/backup'), { recursive: true })

    assert.match(await found.paste(block('sh lost')), new RegExp(incidentId))
    assert.equal((await found.answer('tls', 'show')).ca.fingerprint, before.ca.fingerprint)
    assert.equal((await found.answer('config', 'check')).config.publicUrl, 'https://sos.example.org')
    assert.equal((await found.answer('user', 'list', appId)).length, 1)
    assert.equal((await fetch(`${(await found.listeners()).http}/readyz`)).status, 200)
  })

  test('its configurations are valid', async (t) => {
    const cwd = await directory(t)
    for (const info of ['yaml tls', 'yaml proxy']) {
      const file = join(cwd, 'tocsin.yaml')
      await writeFile(file, block(info))
      assert.ok('config' in readConfig({ file, env: {}, cwd }), info)
    }
  })

  test('its scripts are valid shell', async (t) => {
    if (skipWithout(t, 'dash', hasProgram('dash'))) return
    for (const info of ['sh script', 'sh hook']) {
      const file = join(await directory(t), 'script')
      await writeFile(file, block(info))
      await promisify(execFile)('dash', ['-n', file])
    }
  })

  test('every command in it exists, with its options', async (t) => {
    const { dataDir, tocsin } = await commandLine(t)
    const values: Readonly<Record<string, string>> = {
      APP: '01900000-0000-7000-8000-00000000000a',
      ID: '01900000-0000-7000-8000-00000000000c',
      FILE: join(dataDir, 'no', 'file'),
    }
    const given = (await Promise.all(['operating.md', 'security.md'].map(pageOf))).flatMap((text) => [
      ...[...text.matchAll(/`(?:sudo )?tocsin ([a-z][^`]*)`/g)].map(([, words]) => words!),
      ...blocksOf(text)
        .filter(({ info }) => info.startsWith('sh'))
        .flatMap((one) => [...one.text.matchAll(/^(?:sudo )?tocsin ([^#\n]+)/gm)].map(([, words]) => words!)),
    ])
    const commands = new Set(given.map((words) => words.trim()))
    assert.ok(commands.size > 10, [...commands].join('\n'))
    for (const command of commands) {
      const words = command.replaceAll('"', '').replace('…', '').trim().split(/\s+/)
      const { stderr } = await tocsin(...words.map((word) => values[word] ?? word.replace(/^\/.*/, values.FILE!)))
      // Commands that are only mentioned may lack an argument.
      assert.doesNotMatch(stderr, /unknown (command|option)|too many arguments/, command)
    }
  })

  /** Provokes each refusal of a start that the page lists. */
  const provocations: Readonly<Record<string, (dataDir: string) => Promise<Parameters<typeof refusedStart>[1]>>> = {
    'the configuration has a mistake': async () => ({ env: { TOCSIN_HTTP_PORT: 'eighty' } }),
    'is damaged (': async (dataDir) => {
      await writeFile(join(dataDir, 'tocsin.db'), 'rubbish '.repeat(1000))
      return {}
    },
    'tocsin.lock is damaged': async (dataDir) => {
      await writeFile(join(dataDir, 'tocsin.lock'), 'rubbish '.repeat(1000))
      return {}
    },
    'was written by a newer version': async (dataDir) => {
      new Database(join(dataDir, 'tocsin.db')).exec('PRAGMA user_version = 9999').close()
      return {}
    },
    'does not match': async (dataDir) => {
      const other = join(dirname(dataDir), 'other')
      for (const place of [dataDir, other]) {
        await answering((...args) => runCommand({ TOCSIN_DATA_DIR: place, TOCSIN_CONFIG: '' }, args))('tls', 'show')
      }
      await writeFile(join(dataDir, 'tls/ca.key'), await readFile(join(other, 'tls/ca.key')))
      return { env: { TOCSIN_MQTTS_PORT: '0', TOCSIN_MQTTS_HOST: '127.0.0.1' } }
    },
    'the port is in use': async () => {
      const taken = createServer().listen(0, '127.0.0.1')
      await once(taken, 'listening')
      stopLater.push({ kill: () => void taken.close() })
      return { env: { TOCSIN_HTTP_PORT: String((taken.address() as AddressInfo).port) } }
    },
    'is already running Tocsin on': async (dataDir) => {
      stopLater.push(await TocsinProcess.start(dataDir))
      return {}
    },
  }
  const stopLater: { kill(): unknown }[] = []

  for (const [sentence, provoke] of Object.entries(provocations)) {
    test(`a refused start says what the page says: ${sentence}`, async (t) => {
      t.after(() => Promise.all(stopLater.splice(0).map((running) => running.kill())))
      const row = page.split('\n').find((line) => line.startsWith('| `') && line.includes(sentence))
      assert.ok(row, 'the page has no such row')
      const parts = row.split('`')[1]!.split('…')
      const dataDir = join(await directory(t), 'data')
      await mkdir(dataDir)
      const { code, stderr } = await refusedStart(dataDir, await provoke(dataDir))
      assert.equal(code, 1)
      const said = parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('.*')
      assert.match(stderr, new RegExp(said))
    })
  }
})
