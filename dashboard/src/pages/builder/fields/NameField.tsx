import { TextInput } from '@mantine/core'
import type { Step } from '../steps.ts'
import type { Edit } from './StepFields.tsx'

const MAX_LENGTH = 100

/** Edits the name of a step, which is optional. */
export const NameField = ({ step, edit }: { step: Step; edit: Edit }) => (
  <TextInput
    label="Step name"
    description="For reports, and for conditions on an email. Optional."
    maxLength={MAX_LENGTH}
    value={step.name ?? ''}
    onChange={({ currentTarget: { value } }) => edit({ name: value === '' ? null : value })}
  />
)
