SELECT partition, signed_from FROM intake_signing WHERE topic = $1
