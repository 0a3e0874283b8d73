import { previewOf, removeText, setText, textsInUse } from '../../../../../app/operator/texts.ts'
import { isPhraseKey, phrasesOf, type TextKey } from '../../../../../core/text/own-texts.ts'
import type { Language } from '../../../../../core/text/phrases.ts'
import type { PhraseKey } from '../../../../../core/text/placeholders.ts'
import { callerOf } from '../../admission/caller.ts'
import type { HttpParts } from '../../parts.ts'
import { bodyErrors, errors } from '../../schemas/error.ts'
import { idParams } from '../../schemas/params.ts'
import { operatorFamily } from '../family.ts'
import type { OperatorParts } from '../parts.ts'
import { previewSchema, textPreview, textSchema, textSet, textsQuery, textsSchema } from '../schemas/estate.ts'
import { applicationIdOf } from '../scope.ts'
import { applicationFor } from './applications.ts'

const PATH = '/v1/operator/applications/:id/texts'

/** An application's own texts in place of the built-in ones. protocol.md#operator-api. */
export const textRoutes = (parts: Pick<HttpParts, 'log'> & { readonly operator: OperatorParts }) => {
  const { estate } = parts.operator
  return operatorFamily(parts, {
    json(scope, refuse) {
      scope.put(
        PATH,
        {
          config: { action: 'application.change' },
          schema: {
            summary: 'Sets one text, or restores the built-in one',
            params: idParams,
            body: textSet,
            response: { 200: textSchema, ...bodyErrors, ...errors(404, 409) },
          },
        },
        async (request, reply) => {
          const application = await applicationFor(parts, request, request.params.id)
          if (application === null) return refuse(reply, 'application_not_found')
          const { text } = request.body
          const id = request.body as { readonly language: Language; readonly key: TextKey }
          const { language, key } = id
          const by = callerOf(request).by()
          if (text === null || !isPhraseKey(key)) {
            if (text !== null) return refuse(reply, 'invalid_text', { message: `${key} is no longer in use.` })
            const changed = await removeText(estate, application, { language, key }, by)
            if ('refused' in changed) return refuse(reply, changed.refused)
            const builtIn = isPhraseKey(key) ? phrasesOf(language, changed.texts)[key] : null
            return { language, key, text: builtIn, own: false, warnings: [] }
          }
          const set = await setText(estate, application.id, { language, key, text }, by)
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
            summary: 'Shows an SMS of a text and its segments; changes nothing',
            params: idParams,
            body: textPreview,
            response: { 200: previewSchema, ...bodyErrors, ...errors(404) },
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
            summary: 'Lists every text in use',
            params: idParams,
            querystring: textsQuery,
            response: { 200: textsSchema, ...errors(400, 404) },
          },
        },
        async (request, reply) => {
          const application = await applicationFor(parts, request, request.params.id)
          if (application === null) return refuse(reply, 'application_not_found')
          return { items: [...textsInUse(application, request.query.language as Language | undefined)] }
        },
      )
    },
  })
}
