import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { operatorSetup } from '../../../../app/operator/setup.ts'
import { isoAt } from '../../../../core/ingest/event-time.ts'
import { callerOf } from '../admission/caller.ts'
import type { OperatorAdmission } from '../admission/operators.ts'
import { family } from '../family.ts'
import { later, type RefusalOf, type Refuse } from '../refusals.ts'
import { bodyErrors, errors } from '../schemas/error.ts'
import { notPresent } from './not-present.ts'
import { siteSetupRefusals as refusals } from './site-setup-refusals.ts'
import {
  exampleChange,
  exampleSetupNews,
  exampleSiteSetup,
  providerConfirmFields,
  providerRemoveFields,
  providerTestFields,
  setupChangeFields,
  setupMoment,
  setupNewsSchema,
  setupUndoFields,
  siteSetupSchema,
} from './site-setup-schemas.ts'

const PATH = '/v1/operator/setup'

const partParams = z.object({ section: z.string().max(40) })
const providerParams = z.object({ provider: z.string().max(40) })

type Setup = ReturnType<typeof operatorSetup>
type Needs = OperatorAdmission & { readonly setup: Setup }
type Changed = Awaited<ReturnType<Setup['change' | 'confirmProvider' | 'removeProvider' | 'undo']>>

/** The setup of the site: for admins of the site. protocol.md#operator-api. */
export const operatorSiteSetupRoutes = (needs: Needs) => {
  const { setup } = needs

  const view = async () => {
    const { settings, changes, ...rest } = await setup.view()
    return {
      ...rest,
      settings: settings.map(({ changedAt, ...setting }) => ({
        ...setting,
        changedAt: changedAt === null ? null : isoAt(changedAt),
      })),
      changes: changes.map(({ at, ...change }) => ({ ...change, at: isoAt(at) })),
    }
  }

  async function answered(
    request: FastifyRequest,
    reply: FastifyReply,
    refuse: Refuse<RefusalOf<'OPERATOR', typeof refusals>>,
    changed: Changed,
  ) {
    if ('changed' in changed) return view()
    if ('problems' in changed) return refuse(reply, changed.problems)
    switch (changed.refused) {
      case 'wrong_password':
      case 'wrong_code':
      case 'not_for_tokens':
      case 'too_many_attempts':
        return notPresent(reply, refuse, changed, callerOf(request))
      case 'other_secrets_key':
        return refuse(reply, changed.refused, { message: `Nothing can be changed here: ${changed.why}.` })
      case 'no_secrets_key':
        return refuse(reply, changed.refused, { message: `Secrets cannot be stored: ${changed.why}.` })
      default:
        return refuse(reply, changed.refused)
    }
  }

  const given = (request: FastifyRequest, proof: z.output<typeof providerRemoveFields>['proof']) => {
    const caller = callerOf(request)
    return { caller, by: caller.by(), proof: proof ?? null }
  }

  return family('OPERATOR', needs, {
    refusals,

    json(scope, refuse) {
      scope.put(
        `${PATH}/:section`,
        {
          config: { action: 'setup.change' },
          schema: {
            operationId: 'changeSetup',
            summary: 'Changes a part of the setup',
            description:
              'Sets the given keys of a part, in force at once on all nodes. Guarded ones need `proof` (403 `proofs_needed`), and all administrators hear of them. Keys that the file or the environment sets are refused.',
            params: partParams,
            body: setupChangeFields,
            response: { 200: siteSetupSchema, ...bodyErrors, ...errors(404, 409) },
            examples: {
              parameters: { section: 'address' },
              body: { values: { publicUrl: 'https://sos.example.org' }, proof: exampleChange.proof },
              answers: { 200: exampleSiteSetup },
            },
          },
        },
        async (request, reply) => {
          const { values, proof } = request.body
          const changed = await setup.change(request.params.section, values, given(request, proof))
          return answered(request, reply, refuse, changed)
        },
      )

      scope.post(
        `${PATH}/providers/:provider/test`,
        {
          config: { action: 'setup.test' },
          schema: {
            operationId: 'testProvider',
            summary: 'Sends a code through a provider that is not in use yet',
            description:
              'Sends a text with a code through the provider with these values, or calls with it, and stores nothing. `ticket` goes into the confirmation, with the code and the same values. Needs `proof`, as the change does. Test messages are limited (429).',
            params: providerParams,
            body: providerTestFields,
            response: {
              200: z.object({ ticket: z.string(), validUntil: setupMoment }),
              ...bodyErrors,
              ...errors(404, 409),
            },
            examples: {
              parameters: { provider: 'twilio' },
              body: {
                values: exampleChange.values,
                channel: 'sms',
                to: '+436601234567',
                language: 'de',
                proof: exampleChange.proof,
              },
              answers: { 200: { ticket: 'tocsin1:…', validUntil: '2026-05-01T14:38:12.000Z' } },
            },
          },
        },
        async (request, reply) => {
          const { provider } = request.params
          const { proof, ...asked } = request.body
          const tried = await setup.tryProvider(provider, asked, given(request, proof))
          if ('ticket' in tried) return { ticket: tried.ticket, validUntil: isoAt(tried.validUntil) }
          if ('problems' in tried) return refuse(reply, tried.problems)
          switch (tried.refused) {
            case 'wrong_password':
            case 'wrong_code':
            case 'not_for_tokens':
            case 'too_many_attempts':
              return notPresent(reply, refuse, tried, callerOf(request))
            case 'too_many_tests':
              return refuse(reply, tried.refused, later(tried))
            case 'test_failed':
              return refuse(reply, tried.refused, { error: tried.error })
            case 'other_secrets_key':
              return refuse(reply, tried.refused, { message: `Nothing can be changed here: ${tried.why}.` })
            case 'no_secrets_key':
              return refuse(reply, tried.refused, { message: `Secrets cannot be stored: ${tried.why}.` })
            default:
              return refuse(reply, tried.refused)
          }
        },
      )

      scope.post(
        `${PATH}/providers/:provider/confirm`,
        {
          config: { action: 'setup.change' },
          schema: {
            operationId: 'confirmProvider',
            summary: 'Puts a tested provider in front',
            description:
              'Stores the values with the code of the test message: of a text, if the provider sends texts (409 `text_not_tried`). Messages leave through this provider from here on, and through the former ones where it fails. Needs `proof`.',
            params: providerParams,
            body: providerConfirmFields,
            response: { 200: siteSetupSchema, ...bodyErrors, ...errors(404, 409) },
            examples: {
              parameters: { provider: 'twilio' },
              body: {
                values: exampleChange.values,
                ticket: 'tocsin1:…',
                code: '1234 5678',
                proof: exampleChange.proof,
              },
              answers: { 200: exampleSiteSetup },
            },
          },
        },
        async (request, reply) => {
          const { proof, ...tested } = request.body
          const changed = await setup.confirmProvider(request.params.provider, tested, given(request, proof))
          return answered(request, reply, refuse, changed)
        },
      )

      scope.post(
        `${PATH}/providers/:provider/remove`,
        {
          config: { action: 'setup.change' },
          schema: {
            operationId: 'removeProvider',
            summary: 'Takes a provider out of use',
            description: 'Removes a provider and its credentials; the last one stays (409). Needs `proof`.',
            params: providerParams,
            body: providerRemoveFields,
            response: { 200: siteSetupSchema, ...bodyErrors, ...errors(404, 409) },
            examples: {
              parameters: { provider: 'twilio' },
              body: { proof: exampleChange.proof },
              answers: { 200: exampleSiteSetup },
            },
          },
        },
        async (request, reply) => {
          const changed = await setup.removeProvider(request.params.provider, given(request, request.body.proof))
          return answered(request, reply, refuse, changed)
        },
      )

      scope.post(
        `${PATH}/undo`,
        {
          config: { action: 'setup.change' },
          schema: {
            operationId: 'undoSetup',
            summary: 'Undoes a change of the last seven days',
            description: 'Restores what the change replaced, unless one of its keys has changed since (409).',
            body: setupUndoFields,
            response: { 200: siteSetupSchema, ...bodyErrors, ...errors(404, 409) },
            examples: {
              body: { change: exampleChange.change, proof: exampleChange.proof },
              answers: { 200: exampleSiteSetup },
            },
          },
        },
        async (request, reply) => {
          const changed = await setup.undo(request.body.change, given(request, request.body.proof))
          return answered(request, reply, refuse, changed)
        },
      )
    },

    bodiless(scope) {
      scope.get(
        PATH,
        {
          config: { action: 'setup.view' },
          schema: {
            operationId: 'getSetup',
            summary: 'What is set up, and where',
            description:
              'Every key that can be set in the console, the providers, and the changes of the last seven days.',
            response: { 200: siteSetupSchema },
            examples: { answers: { 200: exampleSiteSetup } },
          },
        },
        async () => view(),
      )

      scope.get(
        `${PATH}/news`,
        {
          config: { action: 'setup.view' },
          schema: {
            operationId: 'getSetupNews',
            summary: 'The guarded changes of the last seven days',
            description: 'For a notice to every administrator, with or without mail.',
            response: { 200: setupNewsSchema },
            examples: { answers: { 200: exampleSetupNews } },
          },
        },
        async () => {
          const changes = await setup.news()
          return { changes: changes.map(({ at, ...change }) => ({ ...change, at: isoAt(at) })) }
        },
      )
    },
  })
}
