import type { Application, Listed } from '../api/types.ts'
import { allTexts } from '../state/language.ts'
import { Select } from './controls.tsx'
import { useRead } from './listing.tsx'

export const useApplications = (): readonly Application[] =>
  useRead<Listed<Application>>('/applications').found?.items ?? []

export const ApplicationPick = ({
  applications,
  value,
  onPick,
}: {
  readonly applications: readonly Application[]
  readonly value: string
  readonly onPick: (id: string) => void
}) => (
  <Select
    label={allTexts.value.settings.application}
    value={value || (applications[0]?.applicationId ?? '')}
    options={applications.map(({ applicationId, name }) => [applicationId, name])}
    onPick={onPick}
  />
)
