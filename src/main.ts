import { endsFirst } from './adapters/platform/system/process-limits.ts'
import { runCommandLine } from './cli/program.ts'
import type { Config } from './config.ts'

process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
  // The reader has seen enough (`| head`). The command itself still runs to its end.
  if (code === 'EPIPE') return
  process.stderr.write(`error: could not write the answer (${code})\n`)
  process.exit(1)
})

/** Loaded only here, so that the other commands start faster. */
const serve = async (config: Config, file: string | null): Promise<void> =>
  (await import('./service/serve.ts')).serve(config, file)

process.exitCode = await runCommandLine(process.argv.slice(2), { serve, beside: endsFirst })
