import { useState } from 'preact/hooks'
import { ApiError } from '../api/client.ts'
import { administrationTexts, texts } from '../state/language.ts'

/** The error of each field, if the service names them. */
export const fieldsOf = ({ body }: ApiError): readonly { readonly field: string; readonly message: string }[] =>
  Array.isArray(body.fields) ? body.fields : []

let detailsOf = (_: ApiError): readonly string[] => []
/** What a refusal says of fields and lines: set by what is loaded with the words for it, those of administration. */
export function sayDetails(of: typeof detailsOf): void {
  detailsOf = of
}

/** A sentence that says what to do about any error. */
export function problemOf(error: unknown): string {
  const t = texts.value.problem
  if (!(error instanceof ApiError)) return t.unexpected(String(error))
  const known = t.reasons[error.reason] ?? administrationTexts.value?.reasons[error.reason]
  if (known !== undefined) return [known, ...detailsOf(error)].join(' ')
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
      // Of the page itself.
      if (error.body.code === undefined) return error.message
      return [t.notAccepted, ...detailsOf(error)].join(' ')
  }
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
