import { runBackupCommand } from "./run-backup-command.ts";

process.exitCode = await runBackupCommand(process.argv.slice(2), process.env);
