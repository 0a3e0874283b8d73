import type { FastifyInstance, FastifyReply } from 'fastify'
import { SECOND } from '../../../../lib/durations.ts'
import { checkEvery, inSteps } from '../../../../lib/in-steps.ts'
import { StoreError } from '../../../../ports/store.ts'

/** A request that has waited for so long is answered at the next look. */
const WAITED_MS = 4 * SECOND
const LOOK_MS = SECOND / 4
/** The database answers this node several times a second. */
const SILENT_MS = 3 * SECOND

/**
 * Answers requests with 503 within 5 s where the database has fallen silent, whatever they wait for: another node would
 * have an answer by then. What was sent to the database may still be stored, and a repeat of an alert is one alert.
 * `silentMs`: since the database last answered this node.
 */
export function answerInTime(app: FastifyInstance, silentMs: () => number): void {
  /** Arrival times of the requests, the oldest first. */
  const pending = new Map<FastifyReply, number>()
  app.addHook('onRequest', async (_request, reply) => {
    if (reply.raw.closed) return
    pending.set(reply, performance.now())
    reply.raw.once('close', () => pending.delete(reply))
  })
  let wasSilent = false
  const stop = checkEvery(LOOK_MS, async (now) => {
    // After a stall of this process an answer may be there, and not read yet.
    const isCertain = wasSilent
    wasSilent = silentMs() > SILENT_MS
    if (!wasSilent || !isCertain) return
    const late = [...pending].filter(([, since]) => now - since >= WAITED_MS)
    await inSteps(late, ([reply]) => {
      pending.delete(reply)
      if (!reply.sent) reply.send(new StoreError('the database does not answer this node', 'unreachable'))
    })
  })
  app.addHook('onClose', async () => stop())
}
