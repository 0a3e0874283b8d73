import { z } from 'zod'
import { errors } from './error.ts'

/**
 * What trackers, network servers and providers send, for the OpenAPI document alone: they speak protocols of their
 * own, and the routes read them field by field.
 */

const reportErrors = errors(401, 413, 503)

const ownTracksSchema = z.object({
  _type: z.string().meta({ description: 'Only `location` is read; the others are ignored' }),
  tst: z.number().optional().meta({ description: 'Seconds since 1970' }),
  lat: z.number().optional(),
  lon: z.number().optional(),
  alt: z.number().optional().meta({ description: 'Metres' }),
  acc: z.number().optional().meta({ description: 'Metres' }),
  batt: z.number().optional().meta({ description: 'Percent' }),
})

const alarm = z.string().optional().meta({ description: '`sos`, also among others: `lowBattery,sos`' })

const osmandQuerySchema = z.object({
  id: z.string().optional().meta({ description: 'The token, where the path has none. Also as `deviceid`' }),
  timestamp: z
    .string()
    .optional()
    .meta({ description: 'Seconds or milliseconds since 1970, RFC 3339, or `2026-01-31 12:00:00` in UTC' }),
  lat: z.string().optional(),
  lon: z.string().optional(),
  location: z.string().optional().meta({ description: '`lat,lon`, instead of both' }),
  valid: z.string().optional().meta({ description: '`false` or `0`: there is no fix' }),
  altitude: z.string().optional().meta({ description: 'Metres' }),
  accuracy: z.string().optional().meta({ description: 'Metres' }),
  batt: z.string().optional().meta({ description: 'Percent' }),
  alarm,
})

const osmandSchema = z.object({
  device_id: z.string().optional().meta({ description: 'The token, where neither path nor query has one' }),
  location: z
    .object({
      timestamp: z.string().optional(),
      coords: z
        .object({
          latitude: z.number(),
          longitude: z.number(),
          altitude: z.number().optional(),
          accuracy: z.number().optional(),
        })
        .optional(),
      battery: z.object({ level: z.number().min(0).max(1) }).optional(),
      extras: z.object({ alarm }).optional(),
    })
    .optional(),
})

const osmandAnswer = { 200: { description: 'Stored', content: { 'text/plain': { schema: z.string() } } } }
const trackerTags = ['Trackers']
const tokenParams = z.object({ token: z.string().meta({ description: 'The token of the tracker' }) })

/** With and without the token in the path. */
function osmand(summary: string, hasToken: boolean) {
  const shared = {
    tags: trackerTags,
    querystring: osmandQuerySchema,
    ...(hasToken && { params: tokenParams }),
    response: { ...osmandAnswer, ...reportErrors },
  }
  return {
    get: { ...shared, summary: `${summary}, as parameters` },
    post: {
      ...shared,
      summary: `${summary}, as JSON or a form`,
      consumes: ['application/json', 'application/x-www-form-urlencoded'],
      body: osmandSchema,
    },
  }
}

export const trackerDocs = {
  ownTracks: {
    tags: trackerTags,
    summary: 'A report of OwnTracks',
    security: [{ trackerToken: [] }],
    body: ownTracksSchema,
    response: { 200: z.array(z.object({})), ...reportErrors },
  },
  osmand: osmand('A report of Traccar Client or any OsmAnd tracker', false),
  osmandByToken: osmand('A report of a tracker with its token in the address', true),
}

export const lorawanDocs = {
  tags: ['Network servers'],
  summary: 'An event of a LoRaWAN network server',
  security: [{ networkServerToken: [] }],
  params: z.object({ server: z.string().meta({ description: 'Its name in `lorawan.servers`' }) }),
  querystring: z.object({
    event: z.string().optional().meta({ description: 'ChirpStack: the kind of event, which it adds itself' }),
  }),
  body: z.object({}).meta({ description: 'The JSON of ChirpStack v4 or The Things Stack v3, up to 256 KiB' }),
  response: { 204: z.null(), ...errors(401, 413, 503) },
}

const attempt = z.object({ attemptId: z.string().meta({ description: '`{incidentId}.{n}`' }) })
const twilio = {
  tags: ['Provider callbacks'],
  security: [{ twilioSignature: [] }],
  consumes: ['application/x-www-form-urlencoded'],
}
const twilioErrors = errors(403, 404, 413, 415, 503)

export const twilioDocs = {
  status: {
    ...twilio,
    summary: 'The status of an SMS or a call',
    params: attempt,
    body: z.object({
      MessageSid: z.string().optional(),
      MessageStatus: z.string().optional(),
      CallSid: z.string().optional(),
      CallStatus: z.string().optional(),
      ErrorCode: z.string().optional(),
    }),
    response: { 204: z.null(), ...twilioErrors },
  },
  call: {
    ...twilio,
    summary: 'What a call says next',
    params: attempt,
    querystring: z.object({ round: z.string().optional(), language: z.string().optional() }),
    body: z.object({
      CallSid: z.string().optional(),
      Digits: z.string().optional().meta({ description: 'The keys that were pressed' }),
    }),
    response: {
      200: { description: 'TwiML', content: { 'text/xml': { schema: z.string() } } },
      ...twilioErrors,
    },
  },
}
