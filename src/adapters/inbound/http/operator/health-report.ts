import { z } from 'zod'
import type { HealthFigures } from '../../../../app/operator/figures.ts'

const moment = z.iso.datetime()
const texts = z.array(z.string()).readonly()
export const healthSchema = z.object({
  status: z.enum(['ready', 'not ready']),
  reasons: texts,
  concerns: texts,
  keepsMessages: z.boolean().meta({ description: 'No SMS or call leaves this machine' }),
  administrators: texts.optional().meta({ description: 'While `keepsMessages`: at most five who can change that' }),
  canary: z
    .object({ passedAt: moment.nullable(), failuresInARow: z.int() })
    .nullable()
    .optional()
    .meta({ description: 'The canary of this node: when it last passed since its start; null: it is off' }),
  figures: z.object({ active: z.int(), acknowledged: z.int(), held: z.int(), deadLetters: z.int() }),
})

/** The health of the service, for the person at the screen. */
export type HealthReport = {
  /** Why it is not ready, as `/readyz` says it. */
  readonly reasons: readonly string[]
  /** Concerns although alarms still work, and gaps of the configuration. */
  readonly concerns: readonly string[]
  /** SMS and calls are kept on this machine instead of being sent. */
  readonly keepsMessages: boolean
  /** Absent while messages leave. */
  readonly administrators?: readonly string[]
  /** `passedAt`: epoch ms. Null: it is off. */
  readonly canary?: { readonly passedAt: number | null; readonly failuresInARow: number } | null
  readonly figures: HealthFigures
}
