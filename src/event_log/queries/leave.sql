SELECT leave($1::uuid)
