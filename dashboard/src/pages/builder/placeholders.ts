import type { Step } from './steps.ts'

/** Text of a recipe or a draft that was never replaced: "1. …", "Continue here: …", "[…]", "Lorem ipsum". */
const PLACEHOLDER = /(^|[:.]\s)…|\[…\]|lorem ipsum/im

/** Returns the part of an email in which a placeholder is left. */
export function placeholderIn(step: Step): string | undefined {
  if (step.type !== 'EMAIL' || step.templateId !== null) return undefined
  const found = [step.subject, step.text, step.html].find((part) => part != null && PLACEHOLDER.test(part))
  return found == null ? undefined : PLACEHOLDER.exec(found)?.[0]
}
