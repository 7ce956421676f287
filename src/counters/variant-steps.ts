import { NO_STEP } from './changes.ts'

/** The step that counters name for a variant of a campaign: its number plus one, because `NO_STEP` is a campaign without variants. */
export const variantStep = (variant: number): string =>
  NO_STEP.slice(0, -12) + (variant + 1).toString(16).padStart(12, '0')

/** The variant that counters name as a step; `null` without variants. */
export function variantOf(stepId: string): number | null {
  const step = parseInt(stepId.slice(-12), 16)
  return step === 0 ? null : step - 1
}

/** SQL: like `variantStep`. */
export const variantStepSql = (variant: string): string =>
  `('${NO_STEP.slice(0, -12)}' || lpad(to_hex(${variant} + 1), 12, '0'))::uuid`

/** SQL: like `variantOf`; -1 without variants. */
export const variantOfSql = (stepId: string): string => `('x' || right(${stepId}::text, 8))::bit(32)::integer - 1`
