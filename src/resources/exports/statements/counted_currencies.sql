(SELECT currency FROM account WHERE account_id = {account} UNION SELECT currency FROM counted) AS u
