import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, cp, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { suite, type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import Database from 'better-sqlite3'
import { type Config, readConfig } from '../../src/config.ts'
import { type Service, startService } from '../../src/service.ts'
import { anyPorts, commandLine } from '../cli/command-line.ts'
import { hasProgram, skipWithout } from '../fixtures/requires.ts'
import { startProcess } from '../fixtures/store-process.ts'
import { answering, type Environment, runCommand } from '../harness/command-line.ts'
import { endsLastFirst } from '../harness/last-first.ts'
import { PhoneUser } from '../harness/phone-user.ts'
import { openStoreHere } from '../harness/site.ts'
import { until } from '../harness/wait.ts'
import { blocksOf } from './page.ts'
import { inShell, type Program, takeCommands } from './shell-commands.ts'

const pageOf = (name: string): Promise<string> => readFile(new URL(`../../docs/${name}`, import.meta.url), 'utf8')
const page = (await Promise.all(['operating.md', 'backups.md'].map(pageOf))).join('\n')

const block = (info: string): string => {
  const found = blocksOf(page).find((one) => one.info === info)
  assert.ok(found, `the page has no block \`${info}\``)
  return found.text
}

async function directory(t: TestContext): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'tocsin-docs-'))
  endsLastFirst(t, () => rm(made, { recursive: true, force: true }))
  return made
}

/**
 * Stand-ins for what the page's commands expect of a machine: its service manager, its command line, and its installer.
 */
const PRELUDE = `
set -e
${inShell('tocsin', 'systemctl')}
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
`

const nothing = () => {}
const silent = { info: nothing, warn: nothing, error: nothing }
const done = { code: 0, stdout: '', stderr: '' }

/** A machine in its own directory, on which the page's commands run. Service and commands run in the test's process. */
async function machine(t: TestContext) {
  const root = await mkdtemp(join(tmpdir(), 'tocsin-docs-'))
  const settings = {
    TOCSIN_CONFIG: join(root, 'etc/tocsin/tocsin.yaml'),
    TOCSIN_DATA_DIR: join(root, 'var/lib/tocsin'),
    TOCSIN_HTTP_PORT: '0',
    TOCSIN_MQTT_PORT: '0',
    TOCSIN_MQTTS_PORT: '0',
    TOCSIN_MQTTS_HOST: '127.0.0.1',
    TOCSIN_HTTPS_PORT: 'off',
  }
  let service: Service | null = null
  const stop = async (): Promise<void> => {
    await service?.stop()
    service = null
  }
  const tocsin: Program = (...args) => runCommand(settings, args)
  const systemctl: Program = async (...args) => {
    const words = args.filter((word) => word !== '--now')
    if (words.join(' ') === 'start tocsin') {
      assert.equal(service, null, 'it is running already')
      return runCommand(settings, ['start'], async (config) => {
        service = await startService(config, { log: silent, openStore: openStoreHere })
      })
    }
    assert.match(words.join(' '), /^(stop|disable) tocsin$/)
    assert.ok(service, 'it is not running')
    await stop()
    return done
  }
  const env = {
    PATH: process.env.PATH ?? '',
    ROOT: root,
    TODAY: new Date().toISOString(),
    ...(await takeCommands(t, { tocsin, systemctl })),
  }
  for (const part of ['root', 'etc/tocsin', 'var/lib/tocsin']) await mkdir(join(root, part), { recursive: true })
  await writeFile(settings.TOCSIN_CONFIG, '')
  const here = (text: string): string =>
    text.replace(/(?<=[\s="])\/(root|etc|var)\//g, `${root}/$1/`).replaceAll('-C / ', `-C ${root} `)
  const paste = async (text: string): Promise<string> => {
    const { stdout } = await promisify(execFile)('bash', ['-c', PRELUDE + here(text)], { cwd: root, env })
    return stdout
  }
  const answer = answering((...args) => runCommand(settings, args))
  const listeners = () => {
    assert.ok(service, 'it is not running')
    const { http = '', mqtt = '' } = service.listeners
    return { http, mqtt }
  }
  /** Configures backups as the page does, with a key pair whose secret key is in /root. */
  const backsUp = async (): Promise<void> => {
    const identity = await generateX25519Identity()
    await mkdir(join(root, 'root'), { recursive: true })
    await writeFile(join(root, 'root/tocsin-backup.txt'), identity)
    await mkdir(join(root, 'mnt/backup/tocsin'), { recursive: true })
    const section = block('yaml backup')
      .replace(/age1\w+/, await identityToRecipient(identity))
      .replace('/mnt/', `${root}/mnt/`)
      .replace(/^ {2}after: .*\n/m, '')
    await appendFile(settings.TOCSIN_CONFIG, section)
  }
  t.after(async () => {
    await stop()
    await rm(root, { recursive: true, force: true })
  })
  return { root, here, paste, answer, listeners, backsUp }
}

type Machine = Awaited<ReturnType<typeof machine>>

/** A site in which each of these users has an open incident that one contact knows about. */
async function alarmed({ paste, answer, listeners }: Machine, ...names: readonly string[]) {
  await paste('systemctl start tocsin')
  const { appId, secret } = await answer('app', 'create', '--name', 'Hut')
  const hurried = ['--grace-seconds', '0', '--ack-timeout-seconds', '600', '--voice', 'off']
  await answer('app', 'actuator', 'set', appId, 'emergency_contacts', ...hurried)
  const presses = async (name: string): Promise<string> => {
    const user = new PhoneUser({ ...listeners(), appId, secret, externalUserId: name })
    await user.introduce({ name })
    await user.rest('POST', '/v1/sdk/contacts', { name: 'Ana', phone: '+436600001' })
    const { body } = await user.rest('POST', '/v1/sdk/sos', { timestamp: new Date().toISOString() })
    await until('the contact is told', async () => (await user.openIncident())?.actuators.items[0].status === 'sent')
    return body.incident.incidentId
  }
  const incidentIds: string[] = []
  for (const name of names) incidentIds.push(await presses(name))
  return { appId, incidentIds }
}

/** The texts of an incident to its contact: the alarm, and the all-clear after the end. */
const texts = async ({ answer }: Machine, incidentId: string): Promise<number> =>
  (await answer('outbox', 'list', '--incident', incidentId)).length

suite('docs/operating.md and docs/backups.md', () => {
  test('a backup is restored, and its open incidents continue and end as the page says', async (t) => {
    const site = await machine(t)
    const { root, paste, answer } = site
    const { incidentIds } = await alarmed(site, 'Mia', 'Leo')
    await paste(block('sh backup'))
    await paste('sudo tocsin backup /var/backups/tocsin/tocsin.db --force')

    const said = await paste(block('sh restore'))
    for (const incidentId of incidentIds) assert.match(said, new RegExp(`${incidentId}.*active`))
    assert.match(said, /Nothing is sent for these until you run tocsin incident resume ID\./)
    const names = await readdir(join(root, 'var/lib/tocsin'))
    assert.equal(names.filter((name) => /^tocsin-.+\.db$/.test(name)).length, 1)

    await t.test('one that is resumed, and over later', async () => {
      const [incidentId] = incidentIds as [string, string]
      const commands = block('sh incidents').trim().replaceAll(' ID ', ` ${incidentId} `).split('\n')
      const [list, resume, resolve] = commands as [string, string, string]
      assert.match(await paste(list), new RegExp(incidentId))
      await paste(resume)
      await paste(resolve)
      assert.equal((await answer('incident', 'show', incidentId)).status, 'resolved')
      await until('the contact hears that it is over', async () => (await texts(site, incidentId)) === 2)
    })

    await t.test('a held one that is resolved is over, and everyone who was notified is told', async () => {
      const [, incidentId] = incidentIds as [string, string]
      await answer('incident', 'resolve', incidentId)
      await until('the contact hears that it is over', async () => (await texts(site, incidentId)) === 2)
    })
  })

  test('a nightly backup as the page has it contains database, CA, configuration and credentials', async (t) => {
    const { answer, backsUp } = await machine(t)
    await answer('app', 'create', '--name', 'Hut')
    await answer('tls', 'show')
    await backsUp()
    const { file } = await answer('backup', '--now')
    const { members } = await answer('backup', file, '--check')
    const names: readonly string[] = members.map(({ name }: any) => name)
    const files = ['tocsin.db', 'data/tls/ca.crt', 'data/tls/ca.key', 'tocsin.yaml', 'credentials/TOCSIN_HTTP_PORT']
    for (const one of files) assert.ok(names.includes(one), one)
    assert.equal((await stat(file)).mode & 0o777, 0o600)

    if (skipWithout(t, 'systemd-analyze', hasProgram('systemd-analyze'))) return
    const units = await directory(t)
    const unit = join(units, 'tocsin.service')
    await mkdir(`${unit}.d`)
    const installed = await readFile(new URL('../../systemd/tocsin.service', import.meta.url), 'utf8')
    await writeFile(unit, installed.replace(/^ExecStart=.*$/m, 'ExecStart=/bin/true'))
    const complaints = async (dropIn: string): Promise<string> => {
      await writeFile(join(`${unit}.d`, 'backup.conf'), dropIn)
      return (await promisify(execFile)('systemd-analyze', ['verify', '--man=no', unit])).stderr
    }
    assert.doesNotMatch(await complaints(block('ini drop-in')), /backup\.conf/)
    // A disk for backups that is missing must not keep the service from taking alarms.
    assert.match(block('ini drop-in'), /^ReadWritePaths=-\//m)
    assert.doesNotMatch(block('ini drop-in'), /^(Requires|BindsTo|Requisite|AssertPath)/m)
    // Control.
    assert.match(await complaints(block('ini drop-in').replace('Paths', 'Pahts')), /backup\.conf/)
  })

  test('a site outlives its machine', async (t) => {
    const old = await machine(t)
    const { appId, incidentIds } = await alarmed(old, 'Mia')
    await writeFile(join(old.root, 'etc/tocsin/tocsin.yaml'), 'publicUrl: https://sos.example.org\n')
    const before = await old.answer('tls', 'show')
    /** CA, users and configuration. */
    const isTheSame = async (site: Machine): Promise<void> => {
      assert.equal((await site.answer('tls', 'show')).ca.fingerprint, before.ca.fingerprint)
      assert.deepEqual(
        (await site.answer('user', 'list', appId)).map(({ name }: any) => name),
        ['Mia'],
      )
      assert.equal((await site.answer('config', 'check')).config.publicUrl, 'https://sos.example.org')
      assert.equal((await fetch(`${site.listeners().http}/readyz`)).status, 200)
    }

    await old.backsUp()
    await old.answer('backup', '--now')
    await t.test('that is lost: it comes back from its nightly backup, with its CA', async (u) => {
      const found = await machine(u)
      const backups = join(old.root, 'mnt/backup/tocsin')
      const [name] = await readdir(backups)
      await mkdir(join(found.root, 'root'), { recursive: true })
      await cp(join(backups, name!), join(found.root, 'root/FILE.age'))
      await cp(join(old.root, 'root/tocsin-backup.txt'), join(found.root, 'root/tocsin-backup.txt'))
      const commands = block('sh lost')
      assert.match(await found.paste(commands), new RegExp(incidentIds[0]!))
      await isTheSame(found)
    })

    await t.test('that goes back to it: what that costs is listed, and then as the page says', async () => {
      const [name] = await readdir(join(old.root, 'mnt/backup/tocsin'))
      const named = (text: string): string => text.replaceAll('/mnt/', `${old.root}/mnt/`).replace('FILE.age', name!)
      const { appId: later } = await old.answer('app', 'create', '--name', 'Later')
      assert.match(
        await old.paste(named(block('sh lost-alarms'))),
        /^No alarm has come, been acknowledged or ended since the backup/,
      )
      await old.paste(named(block('sh site')))
      await isTheSame(old)
      const left = (await old.answer('app', 'list')).map((app: any) => app.appId)
      assert.deepEqual([left.includes(appId), left.includes(later)], [true, false])
    })

    await old.answer('incident', 'resolve', incidentIds[0]!)
    await old.paste(block('sh old'))
    await t.test('that it moves from: its CA, its users, its configuration', async (u) => {
      const next = await machine(u)
      const archive = await readFile(join(old.root, 'root/tocsin.tar.gz'))
      await writeFile(join(next.root, 'tocsin.tar.gz'), archive)
      await next.paste(block('sh new'))
      await isTheSame(next)
    })
  })

  test('its configurations are valid', async (t) => {
    const cwd = await directory(t)
    const certificates = blocksOf(await pageOf('certificates.md')).filter(({ info }) => info.startsWith('yaml '))
    assert.deepEqual(
      certificates.map(({ info }) => info),
      ['yaml acme', 'yaml acme-dns', 'yaml tls'],
    )
    const own = ['yaml acme', 'yaml proxy', 'yaml backup'].map((info) => ({ info, text: block(info) }))
    for (const { info, text } of [...own, ...certificates]) {
      const file = join(cwd, 'tocsin.yaml')
      await writeFile(file, text)
      assert.ok('config' in readConfig({ file, env: {}, cwd }), info)
    }
  })

  test('its scripts are valid shell', async (t) => {
    if (skipWithout(t, 'dash', hasProgram('dash'))) return
    for (const info of ['sh lost', 'sh hook']) {
      const file = join(await directory(t), 'script')
      await writeFile(file, block(info))
      await promisify(execFile)('dash', ['-n', file])
    }
  })

  test('commands for a server stand with sudo, on every page', async () => {
    const pages = (await readdir(new URL('../../docs/', import.meta.url))).filter((name) => name.endsWith('.md'))
    const bare = (text: string) =>
      blocksOf(text).flatMap((one) =>
        [...one.text.matchAll(/^(?:tocsin|systemctl|apt-get) .*/gm)].map(([line]) => line),
      )
    assert.deepEqual((await Promise.all(pages.map(pageOf))).flatMap(bare), [])
    assert.deepEqual(bare('```sh\ntocsin doctor\nsudo tocsin doctor\n```\n'), ['tocsin doctor'], 'the control')
  })

  test('every command in it exists, with its options', async (t) => {
    const { dataDir, tocsin } = await commandLine(t)
    const values: Readonly<Record<string, string>> = {
      APP: '01900000-0000-7000-8000-00000000000a',
      ID: '01900000-0000-7000-8000-00000000000c',
      FILE: join(dataDir, 'no', 'file'),
    }
    const pages = await Promise.all(
      ['operating.md', 'backups.md', 'certificates.md', 'security.md', 'reference/monitoring.md'].map(pageOf),
    )
    const given = pages.flatMap((text) => [
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

  /** Provokes each refusal of a start that the page lists. Some need a setting for it. */
  const provocations: Readonly<Record<string, (dataDir: string, t: TestContext) => Promise<Environment>>> = {
    'the configuration has a mistake': async () => ({ TOCSIN_HTTP_PORT: 'eighty' }),
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
      return { TOCSIN_MQTTS_PORT: '0', TOCSIN_MQTTS_HOST: '127.0.0.1' }
    },
    'the port is in use': async (_dataDir, t) => {
      const taken = createServer().listen(0, '127.0.0.1')
      await once(taken, 'listening')
      t.after(() => taken.close())
      return { TOCSIN_HTTP_PORT: String((taken.address() as AddressInfo).port) }
    },
    'is already running Tocsin on': async (dataDir, t) => {
      await startProcess(t, [dataDir, 'hold']).says(/^held$/)
      return {}
    },
  }
  /** What `start` does, in the test's process. scenarios/start-refused.test.ts has the program's own refusals. */
  const startAndStop = async (config: Config): Promise<void> => {
    await (await startService(config, { log: silent, openStore: openStoreHere })).stop()
  }

  for (const [sentence, provoke] of Object.entries(provocations)) {
    test(`a refused start says what the page says: ${sentence}`, async (t) => {
      const row = page.split('\n').find((line) => line.startsWith('| `') && line.includes(sentence))
      assert.ok(row, 'the page has no such row')
      const parts = row.split('`')[1]!.split('…')
      const dataDir = join(await directory(t), 'data')
      await mkdir(dataDir)
      const settings = { ...anyPorts, TOCSIN_DATA_DIR: dataDir, TOCSIN_CONFIG: '', ...(await provoke(dataDir, t)) }
      const { code, stderr } = await runCommand(settings, ['start'], startAndStop)
      assert.equal(code, 1)
      const said = parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('.*')
      assert.match(stderr, new RegExp(said))
    })
  }
})
