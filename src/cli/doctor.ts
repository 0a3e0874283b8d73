import type { Command } from 'commander'
import { listeningAt } from '../adapters/platform/system/listening.ts'
import { becomeOwnerOf } from '../adapters/stores/sqlite/files/data-owner.ts'
import { type DoctorReport, type DoctorRow, examine } from '../app/doctor/examine.ts'
import type { Level } from '../app/doctor/finding.ts'
import type { FactSources } from '../app/doctor/subjects.ts'
import { problemPlace, readConfig } from '../config.ts'
import { release } from '../lib/release.ts'
import { type Answer, type Answering, forTerminal } from './answer.ts'
import { sourcesOf } from './doctor-sources.ts'
import { configInForce, openedOnce } from './opened-store.ts'

/** `tocsin doctor`: everything an operator would look at when something is wrong, on one page. */
export function addDoctorCommand(program: Command, answering: Answering): void {
  program
    .command('doctor')
    .description('examine the whole installation, whether or not the service runs, and say what to do')
    .option('--restore-test', 'also open the newest encrypted backup; needs room for the database meanwhile', false)
    .action(answering(({ config }, options: { readonly restoreTest: boolean }) => doctor(config, options.restoreTest)))
}

async function doctor(file: string | undefined, testsRestore: boolean): Promise<Answer> {
  const read = readConfig({ file, env: process.env, cwd: process.cwd() })
  if ('problems' in read) {
    const problems = read.problems.map((problem) => problemPlace(problem, read.file))
    return shown(await examine(withoutConfiguration(problems)))
  }
  const { config } = read
  // As root, while the names of other users' programs can still be seen.
  const listening = listeningAt(null)
  becomeOwnerOf(config.dataDir)
  const opened = openedOnce(config)
  try {
    const live = await configInForce(config, opened)
    return shown(await examine(sourcesOf(live, read.file, { listening, opened, testsRestore })))
  } finally {
    await opened.close()
  }
}

/** Without a configuration nothing else can be found. */
const withoutConfiguration = (problems: readonly string[]): FactSources => ({
  version: () => ({ files: release, running: null }),
  configuration: () => ({ problems }),
  service: null,
  ports: null,
  address: null,
  certificate: null,
  clock: null,
  disk: null,
  memory: null,
  store: null,
  providers: null,
  backup: null,
  restore: null,
  nodes: null,
  map: null,
  canary: null,
  drill: null,
  administrators: null,
})

const marks = { fine: '✓', attention: '!', failed: '✗' } as const satisfies Record<Level, string>

function shown(report: DoctorReport): Answer {
  const { rows } = report
  const width = Math.max(...rows.map(({ title }) => title.length))
  const indent = ' '.repeat(width + 4)
  const lines = rows.flatMap(({ level, title, says, remedy }, place) => {
    const isFirst = rows[place - 1]?.title !== title
    const line = `${marks[level]} ${(isFirst ? title : '').padEnd(width)}  ${forTerminal(says)}`
    return remedy === null ? [line] : [line, `${indent}→ ${forTerminal(remedy)}`]
  })
  const count = (level: Level): number => rows.filter((row: DoctorRow) => row.level === level).length
  const [failures, others] = [count('failed'), count('attention')]
  const summary = `${failures} failed, ${others} to look at, ${count('fine')} fine`
  return {
    json: report,
    text: [...lines, '', summary].join('\n'),
    ...(failures > 0 && { failed: `${failures} of ${rows.length} findings may keep an alarm from getting through` }),
  }
}
