import type { ReactNode } from 'react'
import type { Step, StepFields as Fields } from '../steps.ts'
import { BranchesFields } from './BranchFields.tsx'
import { EmailFields } from './EmailFields.tsx'
import { MinutesFields } from './MinutesFields.tsx'
import { UpdateContactFields } from './UpdateContactFields.tsx'
import { WaitForEventFields } from './WaitForEventFields.tsx'
import { WaitUntilFields } from './WaitUntilFields.tsx'
import { WebhookFields } from './WebhookFields.tsx'

/** @param group distinguishes undo steps within the same fields */
export type Edit = (fields: Fields, group?: string) => void

export interface FieldsProps<Each extends Step> {
  step: Each
  edit: Edit
  canEdit: boolean
  /** Whether the step was just added: its first field gets the focus. */
  isNew: boolean
}

/** Edits the fields of a step by its type. */
export function StepFields(props: FieldsProps<Step>): ReactNode {
  const { step } = props
  switch (step.type) {
    case 'EMAIL':
      return <EmailFields {...props} step={step} />
    case 'WAIT':
      return (
        <MinutesFields
          minutes={step.delayMinutes}
          onChange={(delayMinutes) => props.edit({ delayMinutes })}
          autoFocus={props.isNew}
        />
      )
    case 'WAIT_UNTIL':
      return <WaitUntilFields {...props} step={step} />
    case 'WAIT_FOR_EVENT':
      return <WaitForEventFields {...props} step={step} />
    case 'CONDITION':
    case 'SPLIT':
      return <BranchesFields {...props} step={step} />
    case 'UPDATE_CONTACT':
      return <UpdateContactFields {...props} step={step} />
    case 'WEBHOOK':
      return <WebhookFields {...props} step={step} />
    case 'EXIT':
      return <p className="t2">Contacts who get here leave the automation.</p>
  }
}
