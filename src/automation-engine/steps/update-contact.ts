import { byActivity } from './by-activity.ts'
import type { EngineStepType } from './step-type.ts'

export interface UpdateContactOutline {
  id: string
  type: 'UPDATE_CONTACT'
}

export interface StoredUpdateContact extends UpdateContactOutline {
  set?: { firstName?: string | null; metadata?: Record<string, unknown> }
  addTags?: string[]
  removeTags?: string[]
  addToLists?: string[]
  removeFromLists?: string[]
}

/** Updates the contact. What it changes can start other automations. */
export const updateContact: EngineStepType<UpdateContactOutline, StoredUpdateContact> = byActivity('UPDATE_CONTACT')
