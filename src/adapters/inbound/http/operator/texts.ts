import { z } from 'zod'
import { previewOf, removeText, setText, textsInUse } from '../../../../app/operator/texts.ts'
import {
  isPhraseKey,
  languages,
  phraseKeys,
  phrasesOf,
  type TextKey,
  textKeys,
} from '../../../../core/text/own-texts.ts'
import type { Language } from '../../../../core/text/phrases.ts'
import type { PhraseKey } from '../../../../core/text/placeholders.ts'
import type { Store } from '../../../../ports/store.ts'
import { callerOf } from '../admission/caller.ts'
import type { OperatorAdmission } from '../admission/operators.ts'
import { family } from '../family.ts'
import type { Refusals } from '../refusals.ts'
import { bodyErrors, errors } from '../schemas/error.ts'
import { idParams } from '../schemas/params.ts'
import { applicationId } from './examples.ts'
import { applicationFor, applicationIdOf } from './scope.ts'

const PATH = '/v1/operator/applications/:id/texts'

const language = z.enum(languages as [string, ...string[]])
const key = z.enum(phraseKeys as [string, ...string[]])
const textsQuery = z.object({ language: language.optional() })
const textSet = z.strictObject({
  language,
  key: z.enum(textKeys as readonly string[] as [string, ...string[]]),
  text: z.string().max(1000).nullable().meta({ description: 'null: the built-in one again' }),
})
const textPreview = z.strictObject({ key, text: z.string().max(1000) })
export const textsSchema = z.object({
  items: z.array(
    z.object({
      language: z.string(),
      key: z.string(),
      text: z.string(),
      placeholders: z.array(z.string()).readonly(),
      own: z.boolean(),
    }),
  ),
})
const textSchema = z.object({
  language: z.string(),
  key: z.string(),
  text: z.string().nullable(),
  own: z.boolean(),
  warnings: z.array(z.string()).readonly(),
})
export const previewSchema = z.object({
  text: z.string().meta({ description: 'With usual values, and the link where an SMS has one' }),
  segments: z.int(),
  encoding: z.enum(['GSM-7', 'UCS-2']),
  warnings: z.array(z.string()).readonly(),
})

const refusals = {
  text_is_built_in: { kind: 'CONFLICT', message: 'This text is already the built-in one.' },
  invalid_text: { kind: 'VALIDATION', message: 'The text cannot be used.' },
} as const satisfies Refusals

const one = { id: applicationId }
const text = { language: 'en', key: 'confirm' }

type Needs = OperatorAdmission & Parameters<typeof setText>[0] & { readonly store: Pick<Store, 'application'> }

/** An application's own texts in place of the built-in ones. protocol.md#operator-api. */
export const operatorTextRoutes = (needs: Needs) => {
  const { store } = needs
  return family('OPERATOR', needs, {
    refusals,

    json(scope, refuse) {
      scope.put(
        PATH,
        {
          config: { action: 'application.change' },
          schema: {
            operationId: 'setText',
            summary: 'Sets one text, or restores the built-in one',
            description: 'Sets one text in place of the built-in one; `text: null` restores the built-in one.',
            params: idParams,
            body: textSet,
            response: { 200: textSchema, ...bodyErrors, ...errors(404, 409) },
            examples: {
              parameters: one,
              body: { ...text, text: 'Please answer:' },
              answers: { 200: { ...text, text: 'Please answer:', own: true, warnings: [] } },
            },
          },
        },
        async (request, reply) => {
          const application = await applicationFor(store, request, request.params.id)
          if (application === null) return refuse(reply, 'application_not_found')
          const { text } = request.body
          const id = request.body as { readonly language: Language; readonly key: TextKey }
          const { language, key } = id
          const by = callerOf(request).by()
          if (text === null || !isPhraseKey(key)) {
            if (text !== null) return refuse(reply, 'invalid_text', { message: `${key} is no longer in use.` })
            const changed = await removeText(needs, application, { language, key }, by)
            if ('refused' in changed) return refuse(reply, changed.refused)
            const builtIn = isPhraseKey(key) ? phrasesOf(language, changed.texts)[key] : null
            return { language, key, text: builtIn, own: false, warnings: [] }
          }
          const set = await setText(needs, application.id, { language, key, text }, by)
          if ('problem' in set) return refuse(reply, set.refused, { message: `The text ${set.problem}.` })
          if ('refused' in set) return refuse(reply, set.refused)
          return { language, key, text, own: true, warnings: set.warnings }
        },
      )

      scope.post(
        `${PATH}/preview`,
        {
          config: { action: 'application.view' },
          schema: {
            operationId: 'previewText',
            summary: 'Shows an SMS of a text and its segments; changes nothing',
            description:
              'What an SMS of this text would say with usual values, its segments and its encoding. Changes nothing.',
            params: idParams,
            body: textPreview,
            response: { 200: previewSchema, ...bodyErrors, ...errors(404) },
            examples: {
              parameters: one,
              body: { key: 'alarm', text: 'SOS: {who} needs help!' },
              answers: {
                200: {
                  text: 'SOS: Mia needs help! https://sos.example.com/t/…',
                  segments: 1,
                  encoding: 'GSM-7',
                  warnings: [],
                },
              },
            },
          },
        },
        async (request, reply) => {
          if (applicationIdOf(request, request.params.id) === null) return refuse(reply, 'application_not_found')
          const preview = previewOf(request.body.key as PhraseKey, request.body.text)
          if (!('refused' in preview)) return preview
          return refuse(reply, preview.refused, { message: `The text ${preview.problem}.` })
        },
      )
    },

    bodiless(scope, refuse) {
      scope.get(
        PATH,
        {
          config: { action: 'application.view' },
          schema: {
            operationId: 'listTexts',
            summary: 'Lists every text in use',
            description: 'Every text in use, of one language or of all, with the placeholders that it must name.',
            params: idParams,
            querystring: textsQuery,
            response: { 200: textsSchema, ...errors(400, 404) },
            examples: {
              parameters: { ...one, language: 'en' },
              answers: { 200: { items: [{ ...text, text: 'Please confirm:', placeholders: [], own: false }] } },
            },
          },
        },
        async (request, reply) => {
          const application = await applicationFor(store, request, request.params.id)
          if (application === null) return refuse(reply, 'application_not_found')
          return { items: [...textsInUse(application, request.query.language as Language | undefined)] }
        },
      )
    },
  })
}
