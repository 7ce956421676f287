import { beginEnrollment, type BeginEnrollmentInput, type BegunEnrollment } from './begin-enrollment.ts'
import { finishEnrollment, type FinishEnrollmentInput } from './finish-enrollment.ts'
import { sendEmail, type SendEmailInput, type SendEmailResult } from './send-email.ts'
import type { ActivityDependencies } from './dependencies.ts'

/** What the workflows can ask for. They get ids and return little: all of it is written into histories. */
export interface Activities {
  beginEnrollment(input: BeginEnrollmentInput): Promise<BegunEnrollment | null>
  sendEmail(input: SendEmailInput): Promise<SendEmailResult>
  finishEnrollment(input: FinishEnrollmentInput): Promise<{ reenterBy: string | null }>
}

/** The activities, given what they need. */
export const createActivities = (dependencies: ActivityDependencies): Activities => ({
  beginEnrollment: (input) => beginEnrollment(dependencies, input),
  sendEmail: (input) => sendEmail(dependencies, input),
  finishEnrollment: (input) => finishEnrollment(dependencies, input),
})

export type { ActivityDependencies }
