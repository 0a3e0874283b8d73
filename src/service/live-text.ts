import type { Config } from '../config.ts'
import type { Log } from '../ports/log.ts'
import type { Modem } from './modem.ts'
import type { TextProviders } from './text-providers.ts'

/** Starts the modem's companions, and returns a function that stops them. */
type OfModem = (modem: Modem, config: Config) => Promise<() => unknown>

/** The providers of SMS and calls, which can be replaced while messages are on their way. */
export type LiveText = TextProviders & {
  /** Messages from here on leave through the providers of `config`. Rejects if they cannot: the former stay. */
  replace(config: Config): Promise<void>
  /** Runs `begin` now, if there is a modem, and again for each one that replaces it. */
  withModem(begin: OfModem): Promise<void>
  /** Calls `listener` after the providers have changed. */
  onReplaced(listener: () => void): void
}

type Chain = { readonly text: TextProviders; readonly config: Config; underWay: number; isFormer: boolean }

/**
 * `make`: builds the providers of a configuration. A message that is with a former provider ends there, which is then
 * closed; one that only waits for its turn gets in line at the new ones. So no message leaves twice, and no alarm waits
 * for the change.
 */
export async function liveText(
  first: Config,
  make: (config: Config) => Promise<TextProviders>,
  { log }: { readonly log: Log },
): Promise<LiveText> {
  const chainOf = async (config: Config): Promise<Chain> => ({
    ...{ text: await make(config), config, underWay: 0, isFormer: false },
  })
  let now = await chainOf(first)
  const former = new Set<Chain>()
  const listeners: (() => void)[] = []
  const ofModem: OfModem[] = []
  let enders: (() => unknown)[] = []

  const end = async (chain: Chain): Promise<void> => {
    if (!former.delete(chain)) return
    await chain.text.close().catch((error) => log.warn({ err: error }, 'a former provider could not be closed'))
  }

  /** `work` at the present providers, which stay open until it ends. */
  async function at<R>(work: (text: TextProviders) => Promise<R>): Promise<R> {
    const chain = now
    chain.underWay += 1
    try {
      return await work(chain.text)
    } finally {
      chain.underWay -= 1
      if (chain.isFormer && chain.underWay === 0) void end(chain)
    }
  }

  async function beginModem(begin: OfModem): Promise<void> {
    const { modem } = now.text
    if (modem !== null) enders.push(await begin(modem, now.config))
  }

  async function endModem(): Promise<void> {
    const ending = enders.splice(0).map(async (ender) => ender())
    enders = []
    await Promise.all(ending)
  }

  return {
    get inTurn() {
      return Math.max(now.text.inTurn, ...[...former].map(({ text }) => text.inTurn))
    },
    get laneFor() {
      return now.text.laneFor
    },
    get modem() {
      return now.text.modem
    },
    send: (text, turn) => at((providers) => providers.send(text, turn)),
    lookUp: (text) => at((providers) => providers.lookUp(text)),
    waiting: (channel) => now.text.waiting(channel),
    longestWaitMs: (channel) => now.text.longestWaitMs(channel),

    async replace(config) {
      const next = await chainOf(config)
      const old = now
      await endModem()
      now = next
      old.isFormer = true
      former.add(old)
      for (const listener of listeners) listener()
      for (const begin of ofModem) {
        await beginModem(begin).catch((error) => log.error({ err: error }, 'could not begin to watch the modem'))
      }
      // Its lanes hold nothing that the listeners have not moved.
      if (old.underWay === 0) await end(old)
    },
    async withModem(begin) {
      ofModem.push(begin)
      await beginModem(begin)
    },
    onReplaced: (listener) => void listeners.push(listener),

    async close() {
      await endModem()
      await Promise.all([...former].map(end))
      await now.text.close()
    },
  }
}
