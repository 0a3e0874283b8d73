import { texts } from '../state/language.ts'
import { mayAdminister } from '../state/session.ts'
import type { Children } from './blocks.tsx'
import { Form, Problem } from './controls.tsx'
import type { Task } from './task.ts'

/** Fields that are saved together: locked for whoever may only look, with *Save* and whether it worked. */
export const SettingsForm = ({
  task,
  isChanged,
  saved,
  onSend,
  children,
}: Children & {
  readonly task: Task
  readonly isChanged: boolean
  readonly saved: boolean
  readonly onSend: () => void
}) => (
  <Form onSend={onSend}>
    <fieldset disabled={!mayAdminister.value}>
      {children}
      {mayAdminister.value && (
        <button type="submit" class="main" disabled={task.busy || !isChanged}>
          {texts.value.save}
        </button>
      )}
    </fieldset>
    <Problem text={task.refused.length > 0 ? null : task.problem} />
    {saved && !isChanged && (
      <p class="good" role="status">
        ✓ {texts.value.application.saved}
      </p>
    )}
  </Form>
)
