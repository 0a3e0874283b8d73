import type { Listed } from '../api/types.ts'
import { texts } from '../state/language.ts'
import { Select } from './controls.tsx'
import { useRead } from './listing.tsx'

export type Application = {
  readonly applicationId: string
  readonly name: string
  readonly language: string
  readonly disabled: boolean
  readonly timeZone: string
  readonly allowedPrefixes: readonly string[]
  readonly actuators: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly fallbackContact: { readonly name: string; readonly phone: string } | null
  readonly settings: Readonly<Record<string, unknown>>
}

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
    label={texts.value.settings.application}
    value={value || (applications[0]?.applicationId ?? '')}
    options={applications.map(({ applicationId, name }) => [applicationId, name])}
    onPick={onPick}
  />
)
