SELECT leave_intake($1::uuid)
