import { join } from 'node:path'

/** The socket through which the running service accepts the commands of its operator; only the service's user may open it. */
export const operatorSocketIn = (dataDir: string): string => join(dataDir, 'operator.sock')
