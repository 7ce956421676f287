import type { AnyObject, ObjectSchema } from 'yup'
import type { Operation, Scope } from '../http/index.ts'

/** The scope of personal data. Without it, results have IDs of contacts only. */
export const PERSONAL_SCOPE: Scope = 'contacts:read'

/** A tool, which calls an operation of the API. No operation that sends email, or lets any be sent, is one of these. */
export interface ToolDefinition {
  name: string
  /** The ID of the operation that it calls. */
  operation: string
  /** The text for the agent, if the description of the operation does not fit. */
  description?: string
  /** Fields of the result for every key. */
  fields: readonly string[]
  /** Fields with data of contacts, or that may repeat some. Only for keys with `PERSONAL_SCOPE`. */
  personal?: readonly string[]
  /** A scope that the tool needs in addition to the one of its operation. */
  alsoNeeds?: Scope
  /** The fields that an agent passes instead of the body of the operation, and how they become its body. */
  input?: { schema: ObjectSchema<AnyObject>; toBody: (input: AnyObject) => AnyObject }
}

/** A tool with its operation, as it is listed. */
export interface Tool extends Omit<ToolDefinition, 'operation'> {
  operation: Operation
  description: string
  inputSchema: { type: 'object' } & Record<string, unknown>
}

/** Returns whether a key with these scopes may use a tool. Only these tools are listed for it. */
export const mayUseTool = ({ operation, alsoNeeds }: Tool, scopes: readonly Scope[]): boolean => {
  const { scope, orScope } = operation
  if (alsoNeeds !== undefined && !scopes.includes(alsoNeeds)) return false
  if (scope === null) return true
  return [scope, orScope].some((each) => each !== undefined && scopes.includes(each))
}
