import { z } from 'zod'
import { DECODED_PATH } from './path.ts'

const onePath = z.string().regex(DECODED_PATH, 'must be names separated by dots, such as position.latitude')
/** One path, or several; the first that has a value counts. */
const path = z.union(
  [onePath.transform((one) => [one]), z.array(onePath).min(1).max(10)],
  'must be names separated by dots, such as position.latitude, or a list of at most 10 of them',
)
const scalar = z.union([z.string().max(100), z.number(), z.boolean()])
const oneOrMore = z.union(
  [scalar.transform((value) => [value]), z.array(scalar).min(1).max(20)],
  'must be a value, or a list of at most 20',
)
/** Bounds the damage of a payload that is not minutes: it must not postpone an alarm for weeks. */
export const MAX_EXTEND_MINUTES = 24 * 60
const port = z.number().int().min(1).max(223)

/** Holds if the value at `path` is one of `is`. Text is compared ignoring case. */
const conditionSchema = z.strictObject({ path, is: oneOrMore })

/** The largest payload at LoRaWAN's slowest European data rate: 51 bytes. */
const MAX_HEX = 2 * 51
const message = z.strictObject({
  port,
  hex: z
    .string()
    .max(MAX_HEX)
    .regex(/^(?:[0-9a-f]{2})+$/i, 'must be bytes in hexadecimal, such as 0101'),
})

/** The highest values that count as critical, low and medium; anything above is ok. */
const limits = z
  .tuple([z.number(), z.number(), z.number()], 'must be three values: up to critical, low and medium')
  .refine(([critical, low, medium]) => critical <= low && low <= medium, 'must ascend')

/**
 * How to read the uplinks of one tracker model: data, not code. `decoder`: the network server's decoded payload
 * (`object`), or the twelve bytes of lorawan.md (`tocsin-12`). Every field is a path in that object, or a list of
 * paths.
 */
export const uplinkProfileSchema = z
  .strictObject({
    decoder: z.enum(['object', 'tocsin-12'], 'must be object or tocsin-12').default('object'),
    latitude: path.optional(),
    longitude: path.optional(),
    altitude: path.optional(),
    accuracy: path.optional(),
    /** Conditions of a valid position; all must hold. */
    fix: z.array(conditionSchema).max(10).default([]),
    /** When the position was taken; for telemetry only, because the network server dates an SOS. */
    time: path.optional(),
    battery: z
      .strictObject({
        path,
        unit: z.enum(['percent', 'volt'], 'must be percent or volt').default('percent'),
        limits: limits.optional(),
      })
      .optional(),
    sos: z
      .strictObject({
        /** Every uplink on one of these ports is a press, whatever its payload. */
        ports: z.array(port).max(20).default([]),
        /** The flag is set if one of these holds, and clear if their paths exist and none holds. */
        when: z.array(conditionSchema).max(10).default([]),
        /** The tracker's own press counter. */
        press: path.optional(),
      })
      .prefault({}),
    /** The downlinks to the tracker, each with its port. One that is absent is not sent. */
    downlinks: z.strictObject({ received: message.optional(), coming: message.optional() }).optional(),
    /** An uplink on this port extends the owner's overdue timer: by `extendMinutes`, else by its first two bytes. */
    extendPort: port.optional(),
    extendMinutes: z.number().int().min(1).max(MAX_EXTEND_MINUTES).optional(),
  })
  .superRefine(({ sos, extendPort, extendMinutes }, context) => {
    if (extendPort === undefined && extendMinutes !== undefined) {
      context.addIssue({ code: 'custom', path: ['extendMinutes'], message: 'is only for an extendPort' })
    }
    if (extendPort !== undefined && sos.ports.includes(extendPort)) {
      context.addIssue({ code: 'custom', path: ['extendPort'], message: 'is an SOS port' })
    }
  })

type Fixed<T> = { readonly [K in keyof T]: Fixed<T[K]> }

export type UplinkProfile = Fixed<z.output<typeof uplinkProfileSchema>>
export type Condition = Fixed<z.output<typeof conditionSchema>>

/** The profile name for a registered model: people write both in any case. */
export const profileNameOf = (model: string): string => model.trim().toLowerCase()

/** The configured profiles, by `profileNameOf` their trackers' registered model. */
export const uplinkProfilesSchema = z.record(z.string().regex(/^[\w.-]{1,64}$/), uplinkProfileSchema, {
  error: (issue) =>
    issue.code === 'invalid_key' ? 'is no name: letters, digits, dots, hyphens and underscores' : 'must be a mapping',
})
export type UplinkProfiles = Readonly<Record<string, UplinkProfile>>
