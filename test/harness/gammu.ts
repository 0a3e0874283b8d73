import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Skipping, skipWithout } from '../fixtures/requires.ts'
import type { Ending } from './ending.ts'
import { newSpool, type SpoolDirectory } from './spool.ts'
import { until } from './wait.ts'

/** gammu-smsd with its dummy device, on a separate spool. */
export type Gammu = {
  readonly spool: SpoolDirectory
  readonly smsdConfig: string
  /** A text arrives at the modem. */
  receives(from: string, text: string): Promise<void>
  stop(): Promise<void>
}

/** Ends with the test. Null, and the test skipped, where it is not installed. */
export async function startGammu(t: Ending & Skipping): Promise<Gammu | null> {
  const isInstalled = spawnSync('gammu-smsd', ['--version']).status === 0
  if (skipWithout(t, 'gammu-smsd', isInstalled)) return null
  const spool = await newSpool(t)
  const phone = join(spool.path, 'phone')
  await mkdir(join(phone, 'sms', '1'), { recursive: true })
  const smsdConfig = join(spool.path, 'smsdrc')
  await writeFile(smsdConfig, smsdrc(spool.path))
  const daemon = spawn('gammu-smsd', ['-c', smsdConfig], { stdio: 'ignore' })
  const isOver = once(daemon, 'exit')
  let received = 0
  const stop = async () => {
    daemon.kill('SIGTERM')
    await isOver
  }
  t.after(stop)
  // Until it has asked the modem once, the daemon tells no signal at all, and the service would believe it.
  const isUp = () => {
    const shown = spawnSync('gammu-smsd-monitor', ['-C', '-n', '1', '-d', '0', '-c', smsdConfig], { encoding: 'utf8' })
    return shown.status === 0 && shown.stdout.trim().endsWith(';42')
  }
  await until('gammu-smsd is up and knows the signal', isUp)
  return {
    spool,
    smsdConfig,
    stop,
    async receives(from, text) {
      // At once: the daemon reads whatever is there.
      const written = join(spool.path, '.received')
      await writeFile(written, smsBackup(from, text))
      await rename(written, join(phone, 'sms', '1', String(++received)))
    },
  }
}

/** The example of docs/modem.md, with the dummy in place of a modem, and in a hurry. */
function smsdrc(path: string): string {
  const page = readFileSync(new URL('../../docs/modem.md', import.meta.url), 'utf8')
  const [, example = ''] = /^```ini smsdrc\n(.*?)^```$/ms.exec(page) ?? []
  return example
    .replace('device = /dev/modem', `model = dummy\ndevice = ${path}/phone`)
    .replace('connection = at115200', 'connection = none')
    .replace('LogFile = syslog\n', '')
    .replace('ReceiveFrequency = 5', 'ReceiveFrequency = 1')
    .replaceAll('/var/spool/tocsin-sms', path)
}

/** gammu-smsbackup(1): what the dummy has for a text on the SIM, sent so long ago that its arrival counts. */
function smsBackup(from: string, text: string): string {
  const hex = Buffer.from(text, 'utf16le').swap16().toString('hex').toUpperCase()
  const lines = [
    '[SMSBackup000]',
    'SMSC = "+43660000"',
    'State = UnRead',
    `Number = "${from}"`,
    'DateTime = 20260301T120000',
    `Text00 = ${hex}`,
    'Coding = Default_No_Compression',
    'Folder = 1',
    `Length = ${text.length}`,
    'Class = -1',
    'ReplySMSC = False',
    'RejectDuplicates = False',
    'ReplaceMessage = 0',
  ]
  return `${lines.join('\n')}\n`
}
