import { allTexts } from '../state/language.ts'
import { mayAdminister } from '../state/session.ts'
import type { Children } from './blocks.tsx'
import { Form, Problem } from './controls.tsx'
import { useOneSave } from './one-save.tsx'
import type { Task } from './task.ts'

/** Fields that are saved together: locked for operators who may only look, with *Save* and its result. */
export function SettingsForm({
  title,
  task,
  isChanged,
  saved,
  onSend,
  children,
}: Children & {
  readonly title: string
  readonly task: Task
  readonly isChanged: boolean
  readonly saved: boolean
  readonly onSend: () => Promise<void>
}) {
  const isSavedAbove = useOneSave(title, isChanged, onSend)
  return (
    <Form onSend={() => void onSend()}>
      <fieldset disabled={!mayAdminister.value}>
        {children}
        {mayAdminister.value && !isSavedAbove && (
          <button type="submit" class="main" disabled={task.busy || !isChanged}>
            {allTexts.value.save}
          </button>
        )}
      </fieldset>
      <Problem text={task.refused.length > 0 ? null : task.problem} />
      {saved && !isChanged && (
        <p class="good" role="status">
          ✓ {allTexts.value.application.saved}
        </p>
      )}
    </Form>
  )
}
