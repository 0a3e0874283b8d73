import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { z } from 'zod'
import type {
  Card,
  CardFields,
  Contact,
  Device,
  Drill,
  Profile,
  Readiness,
  Timer,
  Verification,
} from '../../sdk/src/wire/account.ts'
import type { Alert } from '../../sdk/src/wire/alert.ts'
import type { IncidentNews } from '../../sdk/src/wire/incident.ts'
import type { SosMessage, SosTalk } from '../../sdk/src/wire/message.ts'
import type { cardSchema } from '../../src/adapters/inbound/http/sdk/card.ts'
import type { contactSchema, verificationSchema } from '../../src/adapters/inbound/http/sdk/contacts.ts'
import type { deviceSchema } from '../../src/adapters/inbound/http/sdk/devices.ts'
import type { ownDrillSchema } from '../../src/adapters/inbound/http/sdk/drills.ts'
import type { incidentSchema } from '../../src/adapters/inbound/http/sdk/incident.ts'
import type { talkLineSchema, talkSchema } from '../../src/adapters/inbound/http/sdk/messages.ts'
import type { alertSchema } from '../../src/adapters/inbound/http/sdk/payload.ts'
import type { profileSchema } from '../../src/adapters/inbound/http/sdk/profile.ts'
import type { userReadinessSchema } from '../../src/adapters/inbound/http/sdk/readiness.ts'
import type { timerSchema } from '../../src/adapters/inbound/http/sdk/timers.ts'
import type { cardUpdateSchema } from '../../src/core/account/card-schema.ts'

/** JSON has no undefined: a field that may be absent is absent. */
type Json<T> = T extends readonly (infer Item)[]
  ? readonly Json<Item>[]
  : T extends object
    ? { [Name in keyof T]: Json<Exclude<T[Name], undefined>> }
    : T

/** What the service writes, from the schemas of which /openapi.json is made. */
type Written<Schema extends z.ZodType> = Json<z.output<Schema>>

/** Compiles only if each value of the service is one of the SDK: a field that is gone or has changed is an error. */
const fits = <Sdk, _Service extends Sdk>(): true => true
/** Compiles only if the SDK names no field that the service does not have. */
const named = <_Name extends keyof Service, Service>(): true => true

// `tsc` is the test: it fails where the two differ.
test('the types of the SDK are those of the interface', () => {
  const compiled = [
    fits<Card, Written<typeof cardSchema>>(),
    named<keyof Card, Written<typeof cardSchema>>(),
    fits<Json<z.input<typeof cardUpdateSchema>>, Json<CardFields>>(),
    named<keyof CardFields, z.input<typeof cardUpdateSchema>>(),
    fits<SosMessage, Written<typeof talkLineSchema>>(),
    named<keyof SosMessage, Written<typeof talkLineSchema>>(),
    fits<SosTalk, Written<typeof talkSchema>>(),
    named<keyof SosTalk, Written<typeof talkSchema>>(),
    fits<Contact, Written<typeof contactSchema>>(),
    named<keyof Contact, Written<typeof contactSchema>>(),
    fits<Device, Written<typeof deviceSchema>>(),
    named<keyof Device, Written<typeof deviceSchema>>(),
    fits<Drill, Written<typeof ownDrillSchema>>(),
    named<keyof Drill, Written<typeof ownDrillSchema>>(),
    fits<Timer, Written<typeof timerSchema>>(),
    named<keyof Timer, Written<typeof timerSchema>>(),
    fits<Profile, Written<typeof profileSchema>>(),
    named<keyof Profile, Written<typeof profileSchema>>(),
    fits<Verification, Written<typeof verificationSchema>>(),
    fits<Readiness['findings'], Written<typeof userReadinessSchema>['findings']>(),
    fits<IncidentNews, Written<typeof incidentSchema>>(),
    named<Exclude<keyof IncidentNews, 'type'>, Written<typeof incidentSchema>>(),
    // A request: what the SDK sends is what the service takes, with one of the two times.
    fits<z.input<typeof alertSchema>, Alert>(),
    named<keyof Alert, z.input<typeof alertSchema>>(),
  ]
  assert.ok(compiled.every(Boolean))
})
