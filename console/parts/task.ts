import { useState } from 'preact/hooks'
import { ApiError } from '../api/client.ts'
import { fieldProblemText } from '../logic/field-problem.ts'
import { administrationTexts, texts } from '../state/language.ts'

/** The error of each field, if the service names them. */
const fieldsOf = ({ body }: ApiError): readonly { readonly field: string; readonly message: string }[] =>
  Array.isArray(body.fields) ? body.fields : []

/** A sentence that says what to do about any error. */
export function problemOf(error: unknown): string {
  const t = texts.value.problem
  if (!(error instanceof ApiError)) return t.unexpected(String(error))
  const known = t.reasons[error.reason] ?? administrationTexts.value?.reasons[error.reason]
  if (known !== undefined) return [known, ...rejectedOf(error)].join(' ')
  switch (error.status) {
    case 0:
      return t.unreachable
    case 404:
      return t.gone
    case 409:
      return t.conflict
    case 429:
      return t.wait(error.retryAfter ?? 60)
    default:
      if (error.status >= 500) return t.failed
      if (error.reason === 'invalid_text') {
        return fieldProblemText(error.message.replace(/^The text |\.$/g, ''), texts.value.refused)
      }
      // Of the page itself.
      if (error.body.code === undefined) return error.message
      return [t.notAccepted, ...fieldsOf(error).map(fieldSentence), ...rejectedOf(error)].join(' ')
  }
}

/** The first lines of a file that are wrong. */
const rejectedOf = ({ body: { rejected } }: ApiError): readonly string[] =>
  (Array.isArray(rejected) ? rejected : []).slice(0, 5).map(({ line, field, message }) => {
    const why = field === null ? fieldProblemText(message, texts.value.refused) : fieldSentence({ field, message })
    return texts.value.labelled(String(line), why)
  })

let names = (): Readonly<Record<string, string>> => ({})
/** The names of fields as the forms of administration have them: set by what is loaded with these. */
export function nameFields(of: typeof names): void {
  names = of
}

/** A refused field by the name that the reader sees, as far as one is known, and why. */
const fieldSentence = ({ field, message }: { readonly field: string; readonly message: string }): string => {
  const t = texts.value
  const known = names()
  const name = known[field] ?? known[field.replace(/[[.].*$/, '')] ?? field
  return t.labelled(name, fieldProblemText(message, t.refused))
}

/** Why the service has refused the value of a field; undefined: it has not. */
export function fieldProblem({ reasons }: Pick<Task, 'reasons'>, name: string): string | undefined {
  const found = reasons.find(({ field }) => field === name || field.startsWith(`${name}.`))
  return found === undefined ? undefined : fieldProblemText(found.message, texts.value.refused)
}

export type Task = {
  readonly busy: boolean
  readonly problem: string | null
  /** The fields that the service has refused. */
  readonly refused: readonly string[]
  /** Why, in the words of the service, which are English. */
  readonly reasons: readonly { readonly field: string; readonly message: string }[]
  /** Runs one task at a time, and keeps its error until the next. Resolves to whether it succeeded. */
  readonly run: (work: () => Promise<unknown>) => Promise<boolean>
}

const idle = { busy: false, problem: null, refused: [], reasons: [] }

export function useTask(): Task {
  const [state, set] = useState<Omit<Task, 'run'>>(idle)
  return {
    ...state,
    async run(work) {
      if (state.busy) return false
      set({ ...idle, busy: true })
      try {
        await work()
        set(idle)
        return true
      } catch (error) {
        const reasons = error instanceof ApiError ? fieldsOf(error) : []
        set({ busy: false, problem: problemOf(error), refused: reasons.map(({ field }) => field), reasons })
        return false
      }
    },
  }
}
