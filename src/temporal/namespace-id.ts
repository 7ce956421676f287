import type { Client } from '@temporalio/client'
import { isGrpcServiceError } from '@temporalio/client'

/** gRPC's numbers for what a server refuses for good. @see https://grpc.io/docs/guides/status-codes/ */
const PERMISSION_DENIED = 7
const UNIMPLEMENTED = 12

/**
 * Asks Temporal for the id of a namespace, which no other one has, however it is called.
 *
 * @returns `null` where it does not tell us
 */
export async function namespaceIdOf(client: Client, namespace: string): Promise<string | null> {
  try {
    const { namespaceInfo } = await client.connection.workflowService.describeNamespace({ namespace })
    return namespaceInfo?.id || null
  } catch (error) {
    if (isGrpcServiceError(error) && [PERMISSION_DENIED, UNIMPLEMENTED].includes(error.code)) return null
    throw error
  }
}
