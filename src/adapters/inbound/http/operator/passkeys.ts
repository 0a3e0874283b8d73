import { z } from 'zod'
import type { operatorPasskeys } from '../../../../app/operator/passkeys.ts'
import {
  newPasskeyFields,
  passkeyNameFields,
  passkeySignatureFields,
} from '../../../../core/operator/operator-schema.ts'
import { CHALLENGE_MS } from '../../../../core/operator/passkey.ts'
import { callerOf } from '../admission/caller.ts'
import type { OperatorAdmission } from '../admission/operators.ts'
import { family } from '../family.ts'
import { later, type Refusals } from '../refusals.ts'
import { bodyErrors, errors } from '../schemas/error.ts'
import { endEarlier, exampleMe, type Site, visitorOf, welcome } from './me.ts'
import { presenceRefusals } from './not-present.ts'
import { signedInSchema, signInRefusals } from './session.ts'

const SIGN_IN = '/v1/operator/session/passkey'
const PATH = '/v1/operator/passkeys'

const reasons = ['no_address', 'not_https', 'no_name', 'no_key'] as const
const moment = z.iso.datetime()

const challengeShape = {
  challenge: z.string().meta({ description: 'base64url; counts once, for five minutes, on every node' }),
  origin: z.string().meta({ description: 'the page that has to ask the browser' }),
  host: z.string().meta({ description: 'the `rpId` of WebAuthn' }),
  timeoutMs: z.int(),
}
export const challengeSchema = z.object(challengeShape).meta({ id: 'PasskeyChallenge' })
export const addChallengeSchema = z
  .object({
    ...challengeShape,
    user: z.object({ id: z.string().meta({ description: 'base64url' }), name: z.string(), displayName: z.string() }),
    exclude: z.array(z.object({ id: z.string(), transports: z.array(z.string()).readonly() })).readonly(),
  })
  .meta({ id: 'NewPasskeyChallenge' })
const passkeySchema = z
  .object({
    id: z.string(),
    name: z.string(),
    addedAt: moment,
    usedAt: moment.nullable(),
    synced: z.boolean().meta({ description: 'the account of its maker copies it to other devices' }),
    host: z.string(),
    usable: z.boolean().meta({ description: 'false: it was added at another address of the site' }),
  })
  .meta({ id: 'Passkey', description: 'A key that signs in without password and code' })
export const ownPasskeysSchema = z.object({
  items: z.array(passkeySchema).readonly(),
  origin: z.string().nullable().meta({ description: 'where they work; null if nowhere' }),
  why: z.enum(reasons).nullable().meta({ description: 'why none can be used; null if they can' }),
})
const idSchema = z.object({ id: z.string() })

const refusals = {
  ...signInRefusals,
  ...presenceRefusals,
  passkeys_unavailable: {
    kind: 'CONFLICT',
    message: 'Passkeys need a public address of the site with https and a host name (`publicUrl`); `why` says more.',
  },
  passkey_limit: { kind: 'CONFLICT', message: 'An operator has at most ten passkeys. Remove one first.' },
  passkey_taken: { kind: 'CONFLICT', message: 'This passkey has been added already.' },
  passkey_refused: {
    kind: 'VALIDATION',
    message:
      'The browser’s answer is not a passkey of this site with the user verified, or it came too late. Try again.',
  },
  passkey_not_found: { kind: 'NOT_FOUND', message: 'There is no such passkey.' },
} as const satisfies Refusals

const exampleId = 'dGhlIGlkIG9mIGEgcGFzc2tleQ'
const challenge = {
  challenge: 'AAABmn1nZzQyMzQyMzQyMzQyMzQyMzQyMzQyMzQyMzQyMzQyMzQyMzQyMzQyMzQyMzQyMzQyMzQ',
  origin: 'https://sos.example.org',
  host: 'sos.example.org',
  timeoutMs: CHALLENGE_MS,
}
const signature = {
  id: exampleId,
  clientDataJSON: 'eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0',
  authenticatorData: 'SZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2MdAAAAAA',
  signature: 'MEUCIQDx',
}
const passkey = {
  id: '3f0a4c6be1f94a0d9f5d4c3b2a190817',
  name: 'Ana’s phone',
  addedAt: '2026-05-01T14:08:12.000Z',
  usedAt: null,
  synced: true,
  host: 'sos.example.org',
  usable: true,
}

type Needs = OperatorAdmission &
  Site & {
    /** Loaded when somebody first uses it. */
    readonly passkeys: () => Promise<ReturnType<typeof operatorPasskeys>>
  }

const params = z.object({ id: z.string().max(100) })
const timeoutMs = CHALLENGE_MS

/** Passkeys: signing in with one, and those of the caller's own account (access.md#passkeys). */
export const operatorPasskeyRoutes = (needs: Needs) =>
  family('OPERATOR', needs, {
    refusals,

    json(scope, refuse) {
      scope.post(
        SIGN_IN,
        {
          config: { action: 'anyone' },
          schema: {
            operationId: 'signInWithPasskey',
            summary: 'Signs in to the console with a passkey',
            description:
              'Sets the cookie of a session, as signIn does. The browser signs a challenge with `navigator.credentials.get`; the device has to have verified its user, so a passkey replaces password and code. Bytes are base64url.',
            body: passkeySignatureFields,
            response: { 200: signedInSchema, ...bodyErrors, ...errors(401) },
            examples: { body: signature, answers: { 200: { ...exampleMe, recoveryCodesLeft: 8 } } },
          },
        },
        async (request, reply) => {
          const signedIn = await (await needs.passkeys()).signIn(request.body, visitorOf(request))
          if ('refused' in signedIn) return refuse(reply, signedIn.refused, later(signedIn))
          await endEarlier(needs, request)
          const { recoveryCodesLeft } = signedIn
          return { ...welcome(reply, signedIn, needs), recoveryCodesLeft }
        },
      )

      scope.post(
        PATH,
        {
          config: { action: 'own.passkeys' },
          schema: {
            operationId: 'addPasskey',
            summary: 'Adds a passkey to the own account',
            description:
              'Adds the passkey that `navigator.credentials.create` made for the challenge of newPasskeyChallenge, in the same session. It has to be discoverable, with its user verified. At most ten. The administrators are told by mail.',
            body: newPasskeyFields,
            response: { 201: idSchema, ...bodyErrors, ...errors(409) },
            examples: {
              body: {
                name: 'Ana’s phone',
                id: exampleId,
                clientDataJSON: 'eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIn0',
                attestationObject: 'o2NmbXRkbm9uZQ',
                transports: ['internal'],
              },
              answers: { 201: { id: passkey.id } },
            },
          },
        },
        async (request, reply) => {
          const caller = callerOf(request)
          const added = await (await needs.passkeys()).add(caller, request.body, caller.by())
          if (!('refused' in added)) return reply.code(201).send(added)
          return refuse(reply, added.refused, 'why' in added ? { why: added.why } : {})
        },
      )

      scope.patch(
        `${PATH}/:id`,
        {
          config: { action: 'own.passkeys' },
          schema: {
            operationId: 'renamePasskey',
            summary: 'Renames one of the caller’s passkeys',
            description:
              'Only the name in the list of the own account; the device keeps what it shows. Asks for a proof, as removing does: by the name its owner knows which one to remove when a device is lost.',
            params,
            body: passkeyNameFields,
            response: { 204: z.null(), ...bodyErrors, ...errors(404) },
            examples: { parameters: { id: passkey.id }, body: { name: 'Ana’s new phone' } },
          },
        },
        async (request, reply) => {
          const caller = callerOf(request)
          const renamed = await (await needs.passkeys()).rename(
            caller,
            request.params.id,
            request.body.name,
            caller.by(),
          )
          return 'refused' in renamed ? refuse(reply, renamed.refused) : reply.code(204).send(null)
        },
      )
    },

    bodiless(scope, refuse) {
      scope.post(
        `${SIGN_IN}/challenge`,
        {
          config: { action: 'anyone' },
          schema: {
            operationId: 'passkeyChallenge',
            summary: 'A challenge for a passkey to sign',
            description:
              'What a passkey has to sign for signInWithPasskey and proveSession. 409 `passkeys_unavailable` with `why` where the site’s address has no https or no name.',
            response: { 200: challengeSchema, ...errors(409) },
            examples: { answers: { 200: challenge } },
          },
        },
        async (_request, reply) => {
          const asked = await (await needs.passkeys()).challenge()
          return 'refused' in asked ? refuse(reply, asked.refused, { why: asked.why }) : { ...asked, timeoutMs }
        },
      )

      scope.get(
        PATH,
        {
          config: { action: 'own' },
          schema: {
            operationId: 'listPasskeys',
            summary: 'Lists the caller’s passkeys',
            description: 'The passkeys of the own account, oldest first, and where they work. 403 `not_for_tokens`.',
            response: { 200: ownPasskeysSchema },
            examples: { answers: { 200: { items: [passkey], origin: challenge.origin, why: null } } },
          },
        },
        async (request, reply) => {
          const own = await (await needs.passkeys()).own(callerOf(request))
          return 'refused' in own ? refuse(reply, own.refused) : own
        },
      )

      scope.post(
        `${PATH}/challenge`,
        {
          config: { action: 'own.passkeys' },
          schema: {
            operationId: 'newPasskeyChallenge',
            summary: 'A challenge for a new passkey',
            description: 'What the browser has to sign when it makes a passkey, and those that the caller has already.',
            response: { 200: addChallengeSchema, ...errors(409) },
            examples: {
              answers: {
                200: {
                  ...challenge,
                  user: { id: 'MDE5N2Y2YTA', name: 'ana', displayName: 'Ana' },
                  exclude: [{ id: exampleId, transports: ['internal'] }],
                },
              },
            },
          },
        },
        async (request, reply) => {
          const asked = await (await needs.passkeys()).addChallenge(callerOf(request))
          if ('user' in asked) return { ...asked, timeoutMs }
          return refuse(reply, asked.refused, 'why' in asked ? { why: asked.why } : {})
        },
      )

      scope.delete(
        `${PATH}/:id`,
        {
          config: { action: 'own.passkeys' },
          schema: {
            operationId: 'removePasskey',
            summary: 'Removes one of the caller’s passkeys',
            description:
              'It signs in no more; sessions that it opened stay (endSession). Password and code remain, so it is never the last way in.',
            params,
            response: { 204: z.null(), ...errors(404) },
            examples: { parameters: { id: passkey.id } },
          },
        },
        async (request, reply) => {
          const caller = callerOf(request)
          const removed = await (await needs.passkeys()).remove(caller, request.params.id, caller.by())
          return 'refused' in removed ? refuse(reply, removed.refused) : reply.code(204).send(null)
        },
      )
    },
  })
